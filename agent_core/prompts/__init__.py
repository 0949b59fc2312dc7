"""Every prompt is a file beside this one, with `{{name}}` where a value goes in.

The arguments of the tools that are offered with them are JSON schemas of the same names.
"""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@cache
def _source(file: str) -> str:
    return (files("agent_core.prompts") / file).read_text(encoding="utf-8").strip()


def prompt(name: str, **values: str) -> str:
    """The prompt `name` with its slots filled, as `fill` does."""
    return fill(_source(f"{name}.md"), **values)


def schema(name: str) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    return json.loads(_source(f"{name}.json"))


def fill(source: str, **values: str) -> str:
    """A text with its slots filled. Values are put in as they are, once.

    Raises:
        KeyError: a slot has no value, or a value no slot.
    """
    slots = set(_SLOT.findall(source))
    if slots != values.keys():
        raise KeyError(f"slots {sorted(slots)}, values {sorted(values)}")
    return _SLOT.sub(lambda match: values[match[1]], source)
