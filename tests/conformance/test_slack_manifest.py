"""Slack's rules on app manifests (SLACK.md 1, 3.10)."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bot.sandbox.slack.refusals import error_of, refusal_of
from tests.conformance.slack_app import Web, web_client
from tests.conformance.slack_team import Json, Team

OWN_MANIFEST = Path(__file__).parents[2] / "manifest.yml"
DOMAINS = [f"{number}.test" for number in range(11)]
SCOPES = ["app_mentions:read", "commands", "im:history", "chat:write"]
COMMAND = {"command": "/ops", "description": "Run an operation"}
SHORTCUT = {"name": "Ask", "type": "message", "callback_id": "ask", "description": "Send it"}


def manifest(**parts: Any) -> Json:
    """A good manifest with some parts replaced: `features={...}`, `settings={...}` and so on."""
    basis: Json = {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": {"name": "Ops Agent", "description": "Runs operations"},
        "features": {
            "bot_user": {"display_name": "ops-agent", "always_online": True},
            "agent_view": {"suggested_prompts": [{"title": "Status", "message": "Show it"}]},
            "slash_commands": [COMMAND],
            "shortcuts": [SHORTCUT],
        },
        "oauth_config": {"scopes": {"bot": SCOPES}},
        "settings": {
            "event_subscriptions": {"bot_events": ["app_mention", "message.im"]},
            "interactivity": {"is_enabled": True},
            "socket_mode_enabled": True,
        },
    }
    return basis | parts


@pytest.fixture
async def config(team: Team) -> Web:
    """A client with an app configuration token."""
    return web_client(team, token=team.config_token)


async def test_a_good_manifest_passes_and_makes_an_app(config: Web) -> None:
    # 3.10
    assert (await config.apps_manifest_validate(manifest=manifest()))["errors"] == []
    made = await config.apps_manifest_create(manifest=manifest())
    assert made["app_id"].startswith("A")
    assert made["credentials"]["signing_secret"]
    assert made["oauth_authorize_url"]


async def test_our_own_manifest_passes(config: Web) -> None:
    own = yaml.safe_load(OWN_MANIFEST.read_text(encoding="utf-8"))
    assert (await config.apps_manifest_validate(manifest=own))["errors"] == []


async def test_a_manifest_needs_an_app_configuration_token(web: Web) -> None:
    # 3.10
    call = web.apps_manifest_validate(manifest=manifest())
    assert await error_of(call) == "not_allowed_token_type"


async def test_a_manifest_is_json(config: Web) -> None:
    # 3.10
    assert await error_of(config.apps_manifest_validate(manifest="{")) == "invalid_manifest"
    missing = config.api_call("apps.manifest.validate", params={})
    assert await error_of(missing) == "invalid_arguments"


async def test_a_description_of_141_characters_names_its_limit(config: Web) -> None:
    # 1.2
    display = {"name": "Ops Agent", "description": "x" * 141}
    call = config.apps_manifest_validate(manifest=manifest(display_information=display))
    refusal = await refusal_of(call)
    (problem,) = refusal["errors"]
    assert (refusal["error"], problem["code"]) == ("invalid_manifest", "failed_constraint")
    assert problem["pointer"] == "/display_information/description"
    assert problem["constraint"] == {"type": "max_length", "expected": 140, "got": 141}


def _features(**features: Any) -> Json:
    return manifest(features=features)


def _settings(**settings: Any) -> Json:
    return manifest(settings={"socket_mode_enabled": True, **settings})


def _display(**display: Any) -> Json:
    return manifest(display_information={"name": "Ops", **display})


def _prompts(count: int) -> Json:
    return _features(agent_view={"suggested_prompts": [{"title": "t", "message": "m"}] * count})


FAULTY = [
    ("1.1 unknown key", manifest(colour="red"), ""),
    ("1.1 unknown key inside", _settings(colour="red"), "/settings"),
    ("1.1 no name", manifest(display_information={}), "/display_information"),
    ("1.1 name of 36", _display(name="x" * 36), "/display_information/name"),
    (
        "1.1 short text",
        _display(long_description="x" * 174),
        "/display_information/long_description",
    ),
    ("1.1 colour", _display(background_color="red"), "/display_information/background_color"),
    ("1.1 five prompts", _prompts(5), "/features/agent_view/suggested_prompts"),
    ("1.1 no bot name", _features(bot_user={}), "/features/bot_user"),
    ("1.2 no commands", _features(slash_commands=[]), "/features/slash_commands"),
    (
        "1.1 command without slash",
        _features(slash_commands=[{**COMMAND, "command": "ops"}]),
        "/features/slash_commands/0/command",
    ),
    (
        "1.1 name of a shortcut",
        _features(shortcuts=[{**SHORTCUT, "name": "x" * 25}]),
        "/features/shortcuts/0/name",
    ),
    (
        "1.1 type of a shortcut",
        _features(shortcuts=[{**SHORTCUT, "type": "loud"}]),
        "/features/shortcuts/0/type",
    ),
    (
        "1.1 six domains",
        _features(unfurl_domains=DOMAINS[:6]),
        "/features/unfurl_domains",
    ),
    (
        "1.1 event twice",
        _settings(event_subscriptions={"bot_events": ["app_mention"] * 2}),
        "/settings/event_subscriptions/bot_events",
    ),
    ("1.1 interactivity", _settings(interactivity={}), "/settings/interactivity"),
    ("1.1 a flag", _settings(org_deploy_enabled="no"), "/settings/org_deploy_enabled"),
    (
        "1.1 plain http",
        manifest(mcp_servers={"a": {"url": "http://x.test", "auth_type": "no_auth"}}),
        "/mcp_servers/a/url",
    ),
    (
        "1.1 eleven domains",
        manifest(outgoing_domains=DOMAINS),
        "/outgoing_domains",
    ),
]


@pytest.mark.parametrize(
    ("faulty", "pointer"), [pytest.param(*case, id=rule) for rule, *case in FAULTY]
)
async def test_a_faulty_part_is_pointed_to(config: Web, faulty: Json, pointer: str) -> None:
    refusal = await refusal_of(config.apps_manifest_validate(manifest=faulty))
    assert refusal["error"] == "invalid_manifest"
    assert [problem["pointer"] for problem in refusal["errors"]] == [pointer]


async def test_a_slash_command_needs_its_scope(config: Web) -> None:
    # 1.2
    scopes = [scope for scope in SCOPES if scope != "commands"]
    poorer = manifest(oauth_config={"scopes": {"bot": scopes}})
    (problem,) = (await refusal_of(config.apps_manifest_validate(manifest=poorer)))["errors"]
    assert problem["code"] == "requires_commands_bot_scope"


@pytest.mark.parametrize(
    ("event", "scope"),
    [
        pytest.param("app_mention", "app_mentions:read", id="1.3 app_mention"),
        pytest.param("message.im", "im:history", id="1.3 message.im"),
    ],
)
async def test_an_event_needs_its_scope(config: Web, event: str, scope: str) -> None:
    scopes = [known for known in SCOPES if known != scope]
    poorer = manifest(oauth_config={"scopes": {"bot": scopes}})
    (problem,) = (await refusal_of(config.apps_manifest_validate(manifest=poorer)))["errors"]
    assert event in problem["message"]
    assert scope in problem["message"]


async def test_without_socket_mode_slack_needs_to_know_where_to_send(config: Web) -> None:
    # 1.2
    events = {"bot_events": ["app_mention"]}
    deaf = manifest(settings={"event_subscriptions": events})
    refusal = await refusal_of(config.apps_manifest_validate(manifest=deaf))
    pointers = [problem["pointer"] for problem in refusal["errors"]]
    assert pointers == ["/settings/event_subscriptions", "/features/slash_commands/0"]


async def test_an_optional_scope_stands_among_the_scopes(config: Web) -> None:
    # 1.1
    scopes = {"bot": SCOPES, "bot_optional": ["chat:write", "files:read"]}
    call = config.apps_manifest_validate(manifest=manifest(oauth_config={"scopes": scopes}))
    (problem,) = (await refusal_of(call))["errors"]
    assert problem["pointer"] == "/oauth_config/scopes/bot_optional/1"
