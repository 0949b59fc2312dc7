import time
from pathlib import Path
from tests.e2e.world import bot_in_a_world
from bot.sandbox.model import Text

async def test_one(tmp_path: Path) -> None:
    t=time.time()
    async with bot_in_a_world(tmp_path) as w:
        print("start", time.time()-t); t=time.time()
        ts = await w.ask("What is the capital of France?")
        print("simple", time.time()-t); t=time.time()
        print(w.bot_posts(ts))
        w.model.play(Text(text="scripted"))
        ts = await w.ask("continue")
        print("complex", time.time()-t); t=time.time()
        print([p.text for p in w.bot_posts(ts)])
        ts = await w.ask("Find out what teams say about retries in chat bots")
        print("research", time.time()-t); t=time.time()
        print([p.text for p in w.bot_posts(ts)])
    print("stop", time.time()-t)
async def test_two(tmp_path: Path) -> None:
    t=time.time()
    async with bot_in_a_world(tmp_path) as w:
        print("start", time.time()-t); t=time.time()
    print("stop", time.time()-t)
