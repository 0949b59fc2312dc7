"""The manifest asks for what the code uses and nothing else, in the form that Slack takes."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.clicks import AskShortcut, WhyShortcut
from bot.slack_api import Op, Upload
from bot.slack_api.calls import OPEN_SOCKET, SLASH_COMMANDS, TABLE
from bot.threads import ThreadRef
from tests.bot.ingress.world import connected_world

ROOT = Path(__file__).parents[2]
MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
GRANTED: list[str] = MANIFEST["oauth_config"]["scopes"]["bot"]
SUBSCRIBED: list[str] = MANIFEST["settings"]["event_subscriptions"]["bot_events"]

SUBSCRIPTIONS = {
    "agent_session_stopped": {"agent_session_stopped": "chat:write"},
    "app_home_opened": {"app_home_opened": ""},
    "app_mention": {"app_mention": "app_mentions:read"},
    "message": {
        "message.channels": "channels:history",
        "message.groups": "groups:history",
        "message.im": "im:history",
        "message.mpim": "mpim:history",
    },
    "reaction_added": {"reaction_added": "reactions:read"},
}
"""What Slack calls each event in a manifest, with its scope."""
AGENT_VIEW_SCOPE = "assistant:write"

UPLOAD_STEP = "files.upload"
"""How our errors name the transfer of the bytes, which is no Web API method."""
METHOD = re.compile(
    r'"((?:agents|apps|assistant|auth|bookmarks|bots|chat|conversations|emoji|files|pins|reactions'
    r'|team|users|views)\.[a-zA-Z]+(?:\.[a-zA-Z]+)?)"'
)


def _sources(package: str) -> dict[Path, str]:
    files = sorted((ROOT / package).rglob("*.py"))
    return {file: file.read_text(encoding="utf-8") for file in files if "sandbox" not in file.parts}


def _at(path: str) -> Any:
    value: Any = MANIFEST
    for key in path.split(".") if path else []:
        value = value[key]
    return value


def test_the_scopes_are_those_of_the_methods_and_events_in_use() -> None:
    of_methods = {scope for method in TABLE.methods.values() for scope in method.scopes}
    of_events = {scope for event in TABLE.events for scope in SUBSCRIPTIONS[event].values()}
    of_downloads = {"files:read"}
    needed = of_methods | of_events | of_downloads | {AGENT_VIEW_SCOPE, SLASH_COMMANDS}

    assert set(GRANTED) == needed - {""}


def test_the_subscriptions_are_the_events_that_are_listened_to() -> None:
    assert set(SUBSCRIBED) == {name for event in TABLE.events for name in SUBSCRIPTIONS[event]}


def test_every_method_that_the_code_names_is_in_the_table_of_scopes() -> None:
    named = {name for text in _sources("bot").values() for name in METHOD.findall(text)}

    assert named - {UPLOAD_STEP, OPEN_SOCKET} <= set(TABLE.methods)


@pytest.mark.parametrize(
    ("path", "least", "most"),
    [
        ("display_information.name", 1, 35),
        ("display_information.description", 1, 140),
        ("display_information.background_color", 4, 7),
        ("features.bot_user.display_name", 1, 80),
        ("features.agent_view.agent_description", 0, 300),
        ("features.agent_view.suggested_prompts", 0, 4),
        ("settings.event_subscriptions.bot_events", 0, 100),
        ("oauth_config.scopes.bot", 1, 255),
    ],
)
def test_slacks_limits_are_respected(path: str, least: int, most: int) -> None:
    assert least <= len(_at(path)) <= most


def test_the_shortcuts_of_a_post_are_those_that_are_answered() -> None:
    shortcuts = _at("features.shortcuts")
    assert [each["callback_id"] for each in shortcuts] == [AskShortcut().kind, WhyShortcut().kind]
    for shortcut in shortcuts:
        assert shortcut["type"] == "message"
        assert len(shortcut["name"]) <= 24
        assert len(shortcut["description"]) <= 150


def test_all_comes_over_the_socket() -> None:
    assert _at("settings.socket_mode_enabled") is True
    assert "request_url" not in _at("settings.event_subscriptions")
    assert _at("settings.interactivity.is_enabled") is True
    assert "request_url" not in _at("settings.interactivity")
    assert _at("features.app_home.home_tab_enabled") is True
    [command] = _at("features.slash_commands")
    assert command["command"] == "/agent"
    assert "url" not in command


async def test_the_bot_hears_and_does_everything_with_these_rights() -> None:
    async with connected_world(scopes=GRANTED, bot_events=SUBSCRIBED) as world:
        for channel in ("general", "private"):
            await world.say("ann", channel, f"{world.mention} hi")
        ts = await world.say("ann", dm=True, text="hi")
        root = await world.say("ann", "general", "plan")
        await world.say("ann", "general", f"{world.mention} sum up", thread_ts=root)
        await world.settle()
        assert len(world.front.messages) == 4
        assert "plan" in world.front.messages[-1].background

        place = world.slack.dm_id("ann")
        thread = ThreadRef(team=world.slack.team_id, channel=place, root_ts=ts)
        posted = await world.api.post(thread, "one", op=Op("op1"))
        await world.api.update(place, posted.ts, "two")
        await world.api.react(place, ts, "eyes", add=True)
        await world.api.react(place, ts, "eyes", add=False)
        await world.api.set_status(thread, "processing")
        file = Upload(name="a.txt", read=lambda: b"x", title="A")
        assert not await world.api.files.share(thread, [file])
        assert await world.api.files.is_shared(world.slack.files[-1].id, place)
        assert not [call for call in world.slack.calls if call.error == "missing_scope"]
