"""README's configuration table, written from the settings classes.

`uv run python -m tests.architecture.configuration` prints it; with `--write` it goes between two
comments of README.md.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from pydantic import SecretStr
from pydantic_settings import BaseSettings

from agent_core.settings import CoreSettings
from bot.settings import BotSettings

README = Path(__file__).parents[2] / "README.md"
BEGIN = "<!-- configuration: written by `python -m tests.architecture.configuration --write` -->"
END = "<!-- configuration: end -->"
CLASSES: tuple[type[BaseSettings], ...] = (BotSettings, CoreSettings)


def names() -> list[str]:
    """Every setting's variable, in the order of the table."""
    return [name.upper() for kind in CLASSES for name in kind.model_fields]


def table() -> str:
    """The table in Markdown."""
    return "\n".join(["| Setting | Default | For |", "| --- | --- | --- |", *_rows()])


def written(readme: str) -> str:
    """The README with the table between its comments. Raises ValueError without them."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md lacks the comments {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def default_in_words(kind: type[BaseSettings], name: str) -> str:
    """What holds when the setting is not set, in Markdown; empty for nothing at all."""
    field = kind.model_fields[name]
    extra = cast("dict[str, str] | None", field.json_schema_extra)
    if extra:
        return extra["unset"]
    match field.default:
        case SecretStr() | None | "":
            return ""
        case bool() as flag:
            return f"`{flag}`"
        case int() | float() as number:
            return f"{number:,.10g}"
        case other:
            return f"`{other}`"


def _rows() -> Iterator[str]:
    for kind in CLASSES:
        for name, field in kind.model_fields.items():
            cells = (f"`{name.upper()}`", default_in_words(kind, name), field.description or "")
            yield f"| {' | '.join(cells)} |".replace("|  |", "| |")


def main() -> None:
    """Print the table, or write it."""
    if "--write" in sys.argv[1:]:
        text = README.read_text(encoding="utf-8")
        README.write_text(written(text), encoding="utf-8")
    else:
        sys.stdout.write(f"{table()}\n")


if __name__ == "__main__":
    main()
