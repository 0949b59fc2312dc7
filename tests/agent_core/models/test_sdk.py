"""The SDK is loaded in part, and is the same SDK."""

import subprocess
import sys

import pytest

LOAD = """
import sys
from agent_core.models.sdk import load_sdk
load_sdk()
import anthropic
from anthropic import RateLimitError
from anthropic.types import Message
assert Message.__name__ == "Message"
assert issubclass(RateLimitError, anthropic.APIStatusError)
assert not hasattr(anthropic, "no_such_name")
loaded = [name for name in sys.modules if name.startswith("anthropic")]
assert not any(name.startswith("anthropic.resources") for name in loaded)
print(len(loaded))
"""


@pytest.mark.process("what is loaded can be seen in a new process alone")
def test_the_sdk_is_loaded_without_what_no_call_needs() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD], check=True, capture_output=True, text=True, timeout=60
    )
    assert int(loaded.stdout) < 1_000
