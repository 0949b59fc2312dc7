"""Names that the model sees are fit for providers, stable and tell servers apart."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.tools.names import full_name, server_prefix


@pytest.mark.proves("tools.names")
def test_an_ordinary_name_stays_readable() -> None:
    assert full_name("local_toolkit", "crawl_parallel") == "mcp__local_toolkit__crawl_parallel"


def test_names_that_are_cut_stay_apart() -> None:
    long = "x" * 200
    assert full_name("a", long + "1") != full_name("a", long + "2")


@given(st.text(min_size=1, max_size=20), st.text(max_size=300))
def test_every_name_is_fit_and_the_same_each_time(server: str, tool: str) -> None:
    name = full_name(server, tool)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", name)
    assert name.startswith(server_prefix(server))
    assert name == full_name(server, tool)
