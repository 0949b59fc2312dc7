"""Every prompt is a file beside this one, with `{{name}}` where a value goes in."""

import re
from functools import cache
from importlib.resources import files

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@cache
def _source(name: str) -> str:
    return (files("agent_core.prompts") / f"{name}.md").read_text(encoding="utf-8").strip()


def prompt(name: str, **values: str) -> str:
    """The prompt `name` with its slots filled, as `fill` does."""
    return fill(_source(name), **values)


def fill(source: str, **values: str) -> str:
    """A text with its slots filled. Values are put in as they are, once.

    Raises:
        KeyError: a slot has no value, or a value no slot.
    """
    slots = set(_SLOT.findall(source))
    if slots != values.keys():
        raise KeyError(f"slots {sorted(slots)}, values {sorted(values)}")
    return _SLOT.sub(lambda match: values[match[1]], source)
