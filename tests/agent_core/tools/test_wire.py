"""Messages are found in any stream of bytes, and no line is held whole beyond its limit."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCResponse

from agent_core.tools.wire import LineCutter, Screen


def read_all(chunks: list[bytes], max_bytes: int = 1_000) -> list[bytes]:
    cutter = LineCutter(max_bytes)
    return [line for chunk in chunks for line in cutter.feed(chunk)]


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), max_size=8), st.data())
def test_lines_come_out_however_the_stream_is_cut(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    chunks: list[bytes] = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        chunks.append(stream[:size])
        stream = stream[size:]
    assert read_all(chunks) == lines


def cut(message: str, max_bytes: int) -> JSONRPCResponse | None:
    (line,) = read_all([message.encode(), b"\n"], max_bytes)
    assert len(line) < max_bytes + 300
    screen = Screen("x", version=lambda: "2025-11-25", on_tools_changed=lambda: None)
    found = screen.read(line)
    if found is None:
        return None
    assert isinstance(found.message, JSONRPCResponse)
    return found.message


@pytest.mark.parametrize("id_first", [True, False])
def test_the_call_of_a_cut_error_is_found_by_an_id_at_either_end(id_first: bool) -> None:
    content = {"isError": True, "content": [{"type": "text", "text": "y" * 5_000}]}
    ident, result = {"id": "seven"}, {"jsonrpc": "2.0", "result": content}
    found = cut(json.dumps(ident | result if id_first else result | ident), 500)
    assert found is not None
    assert (found.id, found.result["isError"]) == ("seven", True)
    assert "yyy" in found.result["content"][1]["text"]
    assert "sent 5,1" in found.result["content"][0]["text"]


def test_a_cut_line_that_answers_nobody_is_dropped_and_so_is_noise() -> None:
    notice = '{"method":"notifications/message","params":{"data":"' + "z" * 5_000 + '"}}'
    for message in (notice, "z" * 5_000, "[" * 5_000):
        assert cut(message, 500) is None
    for noise in ("", "Listening on 8000", "{broken", "[1, 2]", '{"not": "rpc"}', "\udcff{"):
        assert cut(noise.encode("utf-8", "surrogateescape").decode("latin-1"), 500) is None
