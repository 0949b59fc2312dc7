"""One list of settings: the classes, README's table and .env.example say the same."""

import re

import pytest

from agent_core.settings import CoreSettings
from bot.sandbox.settings import SandboxSettings
from bot.settings import HOW_TO_GET, BotSettings
from mcp_local.fetch.urls import Allowance
from mcp_local.settings import Settings as ToolkitSettings
from tests.architecture.configuration import (
    BEGIN,
    CLASSES,
    END,
    README,
    default_in_words,
    names,
    written,
)

EXAMPLE = README.parent / ".env.example"
_LINE = re.compile(r"^(#?)([A-Z][A-Z0-9_]*)=(.*)$", re.MULTILINE)

NAMES_THAT_THE_OUTSIDE_DEPENDS_ON = {
    "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_API_URL", "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN", "ZAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_VERSION",
    "AGENT_MODEL", "CLASSIFIER_MODEL", "ALLOWED_TEAMS", "ALLOWED_CHANNELS", "ALLOWED_USERS",
    "CRAWL_ALLOW", "COMPOSIO_API_KEY", "COMPOSIO_BASE_URL", "LOGFIRE_TOKEN", "DATABASE_URL",
    "WORKSPACES_ROOT", "CONSOLE_HOST", "CONSOLE_PORT", "CONSOLE_SECRET",
}  # fmt: skip
"""Of those that the design names, the ones that something reads today."""


def in_example() -> dict[str, tuple[bool, str]]:
    """By name, whether the line is a comment, and the value."""
    found = _LINE.findall(EXAMPLE.read_text(encoding="utf-8"))
    lines = {name: (bool(mark), value) for mark, name, value in found}
    assert len(lines) == len(found)
    return lines


def test_the_readme_has_the_table_of_the_settings() -> None:
    text = README.read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    assert text == written(text), "run: uv run python -m tests.architecture.configuration --write"


def test_every_setting_says_in_one_line_what_it_is_for_and_what_would_be_right() -> None:
    for kind in CLASSES:
        for name, field in kind.model_fields.items():
            assert field.description, name
            assert field.description.endswith("."), name
            assert not set(field.description) & set("|\n"), name
            assert field.examples, name


def test_the_names_that_the_outside_depends_on_are_there() -> None:
    assert set(names()) >= NAMES_THAT_THE_OUTSIDE_DEPENDS_ON


def test_every_way_to_get_a_setting_is_of_one_that_is_there() -> None:
    assert set(HOW_TO_GET) <= set(names())


def test_the_example_has_exactly_the_settings_of_the_table() -> None:
    assert sorted(in_example()) == sorted(names())


def test_the_example_changes_nothing_but_by_what_is_filled_in() -> None:
    for name, (is_comment, value) in in_example().items():
        assert is_comment or not value, name


def test_a_value_in_the_example_is_the_default() -> None:
    plain = {
        name.upper(): str(field.default)
        for kind in CLASSES
        for name, field in kind.model_fields.items()
    }
    wrong = {
        name: value
        for name, (_, value) in in_example().items()
        if value and value != plain[name].removesuffix(".0")
    }
    assert wrong == {}


def test_the_example_lets_everybody_in() -> None:
    """An empty list lets nobody in, so the lines of the lists are comments."""
    lists = {"ALLOWED_TEAMS", "ALLOWED_CHANNELS", "ALLOWED_USERS"}
    assert all(is_comment for name, (is_comment, _) in in_example().items() if name in lists)


@pytest.mark.parametrize("reader", [SandboxSettings, ToolkitSettings])
def test_what_the_other_programs_read_is_in_the_table(
    reader: type[SandboxSettings] | type[ToolkitSettings],
) -> None:
    assert {name.upper() for name in reader.model_fields} <= set(names())


def test_the_toolkit_keeps_its_files_where_the_bot_does() -> None:
    toolkit, core = ToolkitSettings.model_fields, CoreSettings.model_fields
    assert toolkit["workspaces_root"].default == core["workspaces_root"].default


@pytest.mark.parametrize(
    ("allow", "connect"),
    [
        ("a.test", ""),
        ("*.test, b.test:8080", ""),
        ("127.0.0.1:80,[::1]:8080,::1", ""),
        ("bücher.test", ""),
        ("*.test", "*.test=127.0.0.1:8080"),
        ("a.test:81", "a.test:81=[::1]:80,"),
    ],
)
def test_what_the_bot_lets_pass_the_toolkit_understands(allow: str, connect: str) -> None:
    core = CoreSettings(crawl_allow=allow, crawl_connect=connect)
    given = {"crawl_allow": core.crawl_allow, "crawl_connect": core.crawl_connect}
    allowance = Allowance.from_settings(ToolkitSettings.model_validate(given))
    assert len(allowance.hosts) == len([each for each in allow.split(",") if each.strip()])
    assert len(allowance.connections) == len([each for each in connect.split(",") if each.strip()])


@pytest.mark.parametrize("connect", ["a.test", "a.test=", "=127.0.0.1:80", "a.test=b.test:80"])
def test_what_the_toolkit_refuses_the_bot_refuses_before(connect: str) -> None:
    with pytest.raises(ValueError, match="CRAWL_CONNECT"):
        Allowance.from_settings(ToolkitSettings.model_validate({"crawl_connect": connect}))
    with pytest.raises(ValueError, match="crawl_connect"):
        CoreSettings(crawl_connect=connect)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (BotSettings, "slack_bot_token", "required"),
        (BotSettings, "slack_api_url", "`https://slack.com/api/`"),
        (CoreSettings, "composio_api_key", ""),
        (CoreSettings, "anthropic_base_url", "Anthropic's"),
        (CoreSettings, "max_minutes", "30"),
        (CoreSettings, "max_tokens", "12,000,000"),
        (CoreSettings, "workspaces_root", "`AGENT_RUN_WORKSPACES`"),
    ],
)
def test_defaults_are_put_in_words(
    kind: type[BotSettings] | type[CoreSettings], name: str, words: str
) -> None:
    assert default_in_words(kind, name) == words
