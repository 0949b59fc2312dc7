"""The model stand-in in a process of its own, so that its work is not counted as ours.

`python -m tests.bench.model_process TURNS ITERATIONS TOOL` prints its address; each of the turns
calls the tool so many times and then says one word. It ends when its standard input does.
"""

import asyncio
import sys

from bot.sandbox.model import ModelStandIn, ReplyText, ToolUse


async def serve(turns: int, iterations: int, tool: str) -> None:
    async with ModelStandIn() as model:
        for _ in range(turns):
            model.play(ToolUse(name=tool, input={}), times=iterations)
            model.play(ReplyText(text="Done."))
        sys.stdout.write(f"{model.base_url}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
