"""A line that is too long is cut, and what is left still answers its call."""

import json

import pytest

from agent_core.tools.wire import LineCutter


@pytest.mark.parametrize("id_first", [True, False])
def test_the_call_of_a_cut_error_is_found_by_an_id_at_either_end(id_first: bool) -> None:
    content = {"isError": True, "content": [{"type": "text", "text": "y" * 5_000}]}
    ident, result = {"id": "seven"}, {"jsonrpc": "2.0", "result": content}
    message = json.dumps(ident | result if id_first else result | ident)
    [line] = LineCutter(500).feed(message.encode() + b"\n")
    kept = json.loads(line)
    assert (kept["id"], kept["result"]["isError"]) == ("seven", True)
    assert "sent 5,1" in kept["result"]["content"][0]["text"]
    assert "yyy" in kept["result"]["content"][1]["text"]
