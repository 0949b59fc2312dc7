"""Group K: tokens of known shapes leave neither in logs nor in records nor in posts."""

import json
import logging
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.masking import MASK, MaskedStream, MaskingFormatter, know, masked, masked_post
from agent_core.messages import JsonObject
from agent_core.testing.models import ScriptedModel, call
from agent_core.testing.tools import FakeToolset
from agent_core.tools import OnProgress, ToolContext
from agent_core.workspaces import safe_products
from bot.presenter.approval import approval_draft, decided_draft
from bot.slack_api import Op
from bot.words import BOT
from tests import attached
from tests.agent_core.runtime.threads import begin, end_of
from tests.attacks.planted import HEART, PLANTED
from tests.bot.desk import Desk, open_desk
from tests.bot.presenter.turns import Turn, action
from tests.runtimes import inbound, scripted_runtime

BODY = HEART
SECRETS = (
    *PLANTED.values(),
    *(f"xoxp-1234-{BODY}", f"xapp-1-A01-{BODY}", f"xoxe.xoxp-1-{BODY}"),
    *(f"sk-{BODY}", f"sk-proj-{BODY}"),
    *(f"gho_{BODY}", f"github_pat_{BODY}", f"glpat-{BODY}", f"hf_{BODY}"),
    f"ya29.{BODY}",
    *(f"hooks.slack.com/services/T0/B0/{BODY}", f"Authorization: Bearer {BODY}"),
    *(f"https://h.test/p?token={BODY}", f"https://h.test/p?a=1&access_token={BODY}&b=2"),
    f"https://s3.test/f?X-Amz-Signature={BODY}",
    f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n"
    f"{BODY}\n-----END RSA PRIVATE KEY-----",
    f"-----BEGIN PRIVATE KEY-----\nX-a: b\n{BODY}",
)


@pytest.mark.proves("masking.shapes")
@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", ["{}", "a {} b", "({})", 'x="{}"', r"line\n{}\n", "key:{},"])
def test_a_secret_is_masked_wherever_it_stands(secret: str, around: str) -> None:
    told = masked(around.format(secret))
    assert BODY.lower() not in told.lower()
    assert MASK in told


@pytest.mark.proves("masking.shapes")
@pytest.mark.parametrize("secret", SECRETS)
def test_what_is_masked_stays_as_it_is_when_it_is_masked_once_more(secret: str) -> None:
    assert masked(masked(f"a {secret} b")) == masked(f"a {secret} b")


@pytest.mark.proves("masking.streamed")
@pytest.mark.parametrize("size", [1, 3, 7, 24])
@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", ["{}", "It is {} and no more. ", "鍵は {}。終わり", "a\n\n{}\n"])
def test_a_secret_that_comes_in_pieces_is_masked_and_no_word_is_lost(
    secret: str, around: str, size: int
) -> None:
    text = around.format(secret)
    stream = MaskedStream()
    pieces = [stream.take(text[at : at + size]) for at in range(0, len(text), size)]
    streamed = "".join([*pieces, stream.end()])
    assert BODY.lower() not in streamed.lower()
    assert streamed == masked_post(text)


@pytest.mark.proves("masking.streamed")
def test_words_without_a_secret_are_held_back_for_a_word_alone() -> None:
    stream = MaskedStream()
    assert stream.take("All is we") == "All is "
    assert stream.take("ll. 東京は晴れ") == "well. 東京は晴れ"
    assert len(stream.take("x" * 5_000)) > 4_500


@pytest.mark.proves("masking.shapes")
def test_a_secret_in_an_escaped_address_is_masked() -> None:
    assert BODY not in masked(quote(f"https://h.test/?token=xoxb-{BODY}", safe=""))


@pytest.mark.parametrize(
    "text",
    [
        "The bearer of the certificate of 2024 is sk-cube-grid-animation, risk-1234567890123.",
        "https://news.test/2026/11/a-story?id=1234567890123&key=5#part-2",
        "ghosts, asks_1, SG. 2, eyJ, sk-, xoxo-, mailto:me@x.test, https://me@x.test/a:b@c",
        "https://www.microsoft.com/sk-sk/windows/windows-11 https://x.test/sk-learn-tutorial-2024",
        "https://x.test/npm_config-registry-2024 ASIA-Pacific-report-2024 sk-1234567890123456789",
        "https://x.test/gho_/2026/11/23/a-story pypi-publish-action-v1.12.4",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_what_stands_behind_a_key_stays() -> None:
    told = masked(f"{SECRETS[-2]} and 1-2-3")
    assert told == masked(told)
    assert told.endswith("-----END RSA PRIVATE KEY----- and 1-2-3")


@given(st.text())
def test_masking_once_is_enough(text: str) -> None:
    assert masked(masked(text)) == masked(text)


@pytest.mark.proves("masking.values")
def test_what_the_process_is_configured_with_is_masked_whatever_shape_it_has() -> None:
    key, word = "7d41f0a9c2e85b36ff", "correcthorse"
    know([key, word, ""])
    stream = MaskedStream()
    streamed = [*map(stream.take, (f"It is {key[:9]}", f"{key[9:]} and {word}.")), stream.end()]
    assert "".join(streamed) == masked(f"It is {key} and {word}.")
    assert masked(f"It is {key} and {word}.") == f"It is {MASK} and {word}."


@pytest.mark.proves("masking.doors")
def test_a_log_entry_is_masked_with_its_traceback() -> None:
    error = ValueError(f"refused: sk-ant-{BODY}")
    place = ("x", logging.ERROR, "x.py", 1)
    record = logging.LogRecord(*place, "got %s", (f"xoxb-{BODY}",), (ValueError, error, None))
    told = MaskingFormatter("%(message)s").format(record)
    assert BODY not in told
    assert told.count(MASK) == 2


@pytest.mark.proves("masking.doors")
async def test_a_tools_error_and_an_answer_leave_no_secret_in_the_records(tmp_path: Path) -> None:
    async def fail(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        raise RuntimeError(f"401 for xoxb-{BODY}")

    async def tell(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
        return f"Refused: ghp_{BODY}"

    tools = FakeToolset({"mcp__x__fail": fail, "mcp__x__tell": tell})
    arguments: JsonObject = {"url": f"https://h.test/?token={BODY}"}
    steps = [call("mcp__x__fail", id="a"), call("mcp__x__tell", arguments, id="b")]
    model = ScriptedModel([*steps, f"It was AKIA{BODY.upper()}."])
    message = inbound("continue")
    async with scripted_runtime(tmp_path, model=model, tools=tools) as runtime:
        workspace = await runtime.workspace(message.session, message.received_at)
        await end_of(runtime, await begin(runtime, message))
    for name in ("run.log", "trace.json", "summary.txt"):
        text = (workspace / name).read_text(encoding="utf-8")
        assert BODY.lower() not in text.lower(), name
    assert MASK in (workspace / "run.log").read_text(encoding="utf-8")


KEPT = "data:font/woff2;base64,AA/eyJhbGciOiJIUzI1NiJ9AA=="
FILES: dict[str, Callable[[str], bytes]] = {
    "a.csv": lambda secret: f'name,key\nx,"{secret}"\nlast,row\n'.encode(),
    "a.html": lambda secret: f"<p>{secret}</p><i>last</i><img src='{KEPT}'>".encode(),
    "a.json": lambda secret: json.dumps({"key": secret, "last": "row"}).encode(),
    "a.docx": lambda secret: attached.docx(f"Key: {secret}", "last"),
    "a.xlsx": lambda secret: attached.xlsx({"Keys": attached.rows(["x", secret], ["last"])}),
}


@pytest.mark.proves("masking.files")
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("secret", SECRETS[:-1])
def test_a_file_that_people_get_holds_no_secret_and_all_else(
    tmp_path: Path, name: str, secret: str
) -> None:
    """As of a file that somebody attached: whoever made this one of it."""
    file = tmp_path / "work_products" / name
    file.parent.mkdir()
    file.write_bytes(FILES[name](secret))
    [(_, size)] = safe_products(tmp_path)
    content = file.read_bytes()
    assert size == len(content)
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as packed:
            content = b"".join(map(packed.read, packed.namelist()))
    text = content.decode()
    assert BODY.lower() not in text.lower()
    assert "last" in text
    assert name != "a.html" or KEPT in text


@pytest.mark.proves("masking.files")
@pytest.mark.parametrize("name", ["a.xlsx", "a.csv", "a.pdf"])
def test_what_is_no_file_of_its_kind_stays_as_it_is(tmp_path: Path, name: str) -> None:
    file = tmp_path / "work_products" / name
    file.parent.mkdir()
    content = b"%PDF \xff sk-ant-api03-" + BODY.encode()
    file.write_bytes(content)
    foreign = file.with_name("utf-16.docx")
    with zipfile.ZipFile(foreign, "w") as packed:
        packed.writestr("word/document.xml", "<text>\u00e9</text>".encode("utf-16"))
    packed_content = foreign.read_bytes()
    safe_products(tmp_path)
    assert file.read_bytes() == content
    assert foreign.read_bytes() == packed_content


@pytest.mark.proves("masking.doors")
async def test_a_post_holds_no_secret() -> None:
    block: JsonObject = {"type": "section", "text": {"type": "mrkdwn", "text": f"glpat-{BODY}"}}
    async with open_desk(Desk) as desk:
        await desk.api.post(desk.thread, f"xoxb-{BODY}", op=Op("op1"), blocks=[block])
        post = desk.slack.thread("general", desk.thread.root_ts)[-1]
        for begin in ("?", "?uname=x&", ";"):
            link = f"https://zoom.test/j/8123{begin}pwd={BODY}"
            await desk.api.post(desk.thread, link, op=Op(begin))
            assert BODY not in masked(link)
        *_, passcode, second, connection = desk.slack.thread("general", desk.thread.root_ts)
    assert BODY not in str(post)
    assert post.text == f"xoxb-{MASK}"
    assert f"pwd={BODY}" in passcode.text
    assert f"pwd={BODY}" in second.text
    assert BODY not in str(connection)


@pytest.mark.proves("masking.approval")
@pytest.mark.parametrize("secret", [*SECRETS, f"sk-{BODY}@evil.example"])
async def test_nothing_hides_from_whoever_approves_it(secret: str) -> None:
    async with open_desk(Desk) as desk:
        turn, words = Turn(desk.thread), BOT.of("en")
        event = turn.requested(action(recipient_email=secret, body=f"{secret}\nAnd the rest."))
        asked = approval_draft(event, words, is_whole=True)
        post = await desk.api.post(desk.thread, asked.text, op=Op("op1"), blocks=asked.blocks)
        for draft in (asked, decided_draft(event, turn.decided(), words)):
            await desk.api.update(desk.thread.channel, post.ts, draft.text, blocks=draft.blocks)
            post = desk.slack.thread("general", desk.thread.root_ts)[-1]
            assert MASK not in str(post)
            assert str(post.blocks).count(BODY) + str(post.blocks).count(BODY.upper()) >= 2
            assert "And the rest." in str(post.blocks)
