"""The remote workbench: scripts that move files, and what its Python has not."""

import base64
import hashlib
from typing import Any, cast

import pytest
from composio_client import AsyncComposio

from bot.sandbox.composio import ComposioStandIn, Session
from tests.bot.sandbox.composio.world import connect, run_batch, run_meta

PIECE = bytes(range(256)) * 40
UPLOAD = """
import os, base64
path = '/home/user/reports/deep/report.bin'
os.makedirs(os.path.dirname(path), exist_ok=True)
with open(path, 'wb') as f:
    f.write(base64.b64decode('{encoded}'))
"""
APPEND = """
with open(path, 'ab') as f:
    f.write(base64.b64decode('{encoded}'))
"""
CHECK = """
import hashlib, json
data = open(path, 'rb').read()
print(json.dumps({'size': len(data), 'sha256': hashlib.sha256(data).hexdigest()}))
if os.path.isfile(path) and os.path.getsize(path) == len(data):
    for start in range(0, len(data), 10000):
        with open(path, 'rb') as f:
            f.seek(start)
            print(base64.b64encode(f.read(10000)).decode())
"""


async def run(api: AsyncComposio, session: Session, code: str) -> dict[str, Any]:
    done = await run_meta(api, session, "COMPOSIO_REMOTE_WORKBENCH", {"code_to_execute": code})
    assert done.result_type == "completed"
    return dict(done.data)


async def test_a_file_goes_up_in_pieces_and_comes_back_whole(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    encoded = base64.b64encode(PIECE).decode()
    for code in (UPLOAD, APPEND):
        assert (await run(api, session, code.format(encoded=encoded)))["error"] is None
    whole = PIECE * 2
    tree = standin.remote_files("T1:U1")
    assert tree.read("/home/user/reports/deep/report.bin") == whole
    first, *pieces = str((await run(api, session, CHECK))["stdout"]).splitlines()
    assert hashlib.sha256(whole).hexdigest() in first
    assert b"".join(map(base64.b64decode, pieces)) == whole


async def test_names_stay_and_the_last_line_is_the_result(
    api: AsyncComposio, session: Session
) -> None:
    await run(api, session, "rows = [{'n': n, 'even': n % 2 == 0} for n in range(5)]")
    data = await run(api, session, "total = 0\nfor r in rows:\n    total += r['n']\nf'{total:>4}'")
    assert data["results"] == "'  10'"


async def test_files_and_names_are_each_persons_own(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    await run(api, session, "secret = 1\nopen('a.txt', 'w').write('mine')")
    made = await api.tool_router.session.create(user_id="T1:U2")
    other = standin.sessions[made.session_id]
    assert "NameError" in (await run(api, other, "secret"))["error"]
    assert "FileNotFoundError" in (await run(api, other, "open('a.txt').read()"))["error"]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("import socket", "ModuleNotFoundError"),
        ("import os\nos.system('ls')", "AttributeError"),
        ("().__class__.__bases__", "AttributeError"),
        ("'{0.__class__}'.format(1)", "AttributeError"),
        ("__import__('os')", "NameError"),
        ("eval('1')", "NameError"),
        ("def f():\n    pass", "NotSupported"),
        ("open('/etc/passwd').read()", "FileNotFoundError"),
        ("open('/etc/new', 'w')", "PermissionError"),
        ("open('/home/user/../../etc/new', 'w')", "PermissionError"),
        ("[0] * 10**10", "MemoryError"),
        ("bytes(10**10)", "MemoryError"),
        ("9 ** 9 ** 9", "MemoryError"),
        ("while True:\n    1", "TimeoutError"),
        ("1 +", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
async def test_what_a_script_may_not_do_is_an_error_of_its_own(
    api: AsyncComposio, session: Session, code: str, error: str
) -> None:
    data = await run(api, session, code)
    assert data["error"].startswith(error)
    assert data["stderr"] == data["error"]


async def test_a_script_can_handle_its_errors_and_read_its_folder(
    api: AsyncComposio, session: Session
) -> None:
    code = """
import os
try:
    open('missing.txt')
except FileNotFoundError as error:
    print('no file')
finally:
    open('b.txt', 'w').write('b')
names, count = os.listdir('/home/user'), 0
while True:
    count += 1
    if count == 3:
        break
print(names, count, os.path.exists('b.txt'), os.path.getsize('b.txt'))
"""
    data = await run(api, session, code)
    assert data["stdout"] == "no file\n['b.txt'] 3 True 1\n"


async def test_helpers_run_app_tools_as_the_person_and_upload_files(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    standin.connect("T1:U1", "gmail", identity="ada@example.com")
    code = """
open('report.html', 'w').write('<p>Hello</p>')
file, error = upload_local_file('/home/user/report.html')
mail = {'recipient_email': 'bob@example.com', 'subject': 'Report',
        'attachment': {'name': 'r.html', 'mimetype': 'text/html', 's3key': file['s3key']}}
result, error = run_composio_tool('GMAIL_SEND_EMAIL', mail)
_, missing = run_composio_tool('SLACK_SEND_MESSAGE', {'channel': 'general'})
print(result['successful'], missing)
"""
    data = await run(api, session, code)
    assert "True No active connected account found for toolkit: slack" in data["stdout"]
    [mail] = standin.mailbox("T1:U1").sent
    assert mail.draft.attachments[0].data == b"<p>Hello</p>"
    assert [effect.user_id for effect in standin.effects] == ["T1:U1"]


async def test_the_shell_is_refused_and_said_to_be(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    async with connect(standin, session) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert "switched off" in str(tools["COMPOSIO_REMOTE_BASH_TOOL"].description)
    done = await run_meta(api, session, "COMPOSIO_REMOTE_BASH_TOOL", {"command": "ls"})
    assert done.result_type == "failed"
    assert "no shell in this sandbox" in str(done.error)


async def test_results_kept_in_files_are_previewed_and_can_be_fetched(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    search = ("COMPOSIO_SEARCH_WEB", {"query": "coffee"})
    body = {
        "tools": [{"tool_slug": search[0], "arguments": search[1]}],
        "sync_response_to_workbench": True,
    }
    done = await run_meta(api, session, "COMPOSIO_MULTI_EXECUTE_TOOL", body)
    [result] = cast("list[dict[str, Any]]", done.data["results"])
    assert "data" not in result["response"]
    assert result["response"]["data_preview"]["citations"]
    path = cast("dict[str, str]", done.data["remote_file_info"])["file_path"]
    [fetched] = await run_batch(api, session, ("CODEINTERPRETER_GET_FILE_CMD", {"file_path": path}))
    assert "410 cups of coffee" in fetched["response"]["data"]["content"]


async def test_a_response_above_the_limit_is_previewed_unasked(
    standin: ComposioStandIn, api: AsyncComposio, session: Session
) -> None:
    standin.faults.preview_above_chars = 100
    [result] = await run_batch(api, session, ("COMPOSIO_SEARCH_WEB", {"query": "coffee"}))
    assert "data_preview" in result["response"]
