"""The word lists of `phrases.toml`: what people ask for, and what on pages is not to be quoted."""

import re
import tomllib
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
STOP = frozenset(_LISTS["stop_words"].split())
"""Words of English, and a few of German, that carry no meaning by themselves."""


def phrases(name: str) -> re.Pattern[str]:
    """The pattern of a list, which holds in any case of letters."""
    return re.compile(_LISTS[name].replace("\n", ""), re.IGNORECASE)
