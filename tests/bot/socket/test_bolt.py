"""The way through the real Bolt: what is acknowledged, with what, and what is not."""

from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp

from agent_core.messages import JsonObject
from bot.ingress import create_app
from bot.slack_api import Identity, web_client
from bot.socket import acknowledge
from bot.socket.connection import Envelope

ACKNOWLEDGED = {"envelope_id": "e-1"}


@pytest.fixture
def app() -> AsyncApp:
    identity = Identity(team="T1", bot_user="U1", bot_id="B1", app_id="A1")
    return create_app(web_client("xoxb-1", base_url="http://127.0.0.1:1/api/"), identity)


def envelope(payload: JsonObject | None, kind: str = "events_api", **more: Any) -> Envelope:
    return Envelope(id="e-1", type=kind, payload=payload, **more)


def event(kind: str) -> JsonObject:
    return {"type": "event_callback", "team_id": "T1", "event": {"type": kind, "user": "U2"}}


async def test_an_event_that_was_heard_is_acknowledged(app: AsyncApp) -> None:
    heard: list[str] = []
    untyped: Any = app

    async def hear(event: JsonObject) -> None:
        heard.append(event["type"])

    untyped.event("app_mention")(hear)
    assert await acknowledge(app, envelope(event("app_mention"))) == ACKNOWLEDGED


async def test_an_event_for_nobody_is_not_acknowledged(app: AsyncApp) -> None:
    assert await acknowledge(app, envelope(event("moon_landing"))) is None


@pytest.mark.proves("ledger.disk_full")
async def test_a_middleware_that_fails_leaves_the_event_unacknowledged(app: AsyncApp) -> None:
    untyped: Any = app

    async def fail() -> None:
        raise ConnectionError("the ledger is away")

    untyped.use(fail)
    assert await acknowledge(app, envelope(event("app_mention"))) is None


async def test_the_retry_is_told(app: AsyncApp) -> None:
    told: list[Any] = []
    untyped: Any = app

    async def look(request: Any, next_: Any) -> None:
        told.append(
            {name: request.headers.get(f"x-slack-retry-{name}") for name in ("num", "reason")}
        )
        await next_()

    untyped.use(look)
    again = envelope(event("app_mention"), retry_attempt=2, retry_reason="timeout")
    await acknowledge(app, again)
    assert told == [{"num": ["2"], "reason": ["timeout"]}]


async def test_an_answer_goes_with_the_acknowledgement(app: AsyncApp) -> None:
    untyped: Any = app
    errors = {"response_action": "errors", "errors": {"b": "too short"}}

    async def submit(ack: Any) -> None:
        await ack(**errors)

    untyped.view("settings")(submit)
    payload: JsonObject = {
        "type": "view_submission",
        "team": {"id": "T1"},
        "user": {"id": "U2"},
        "view": {"type": "modal", "callback_id": "settings", "state": {"values": {}}},
    }
    answer = await acknowledge(app, envelope(payload, "interactive"))
    assert answer == {**ACKNOWLEDGED, "payload": errors}


async def test_a_plain_text_goes_with_the_acknowledgement(app: AsyncApp) -> None:
    untyped: Any = app

    async def command(ack: Any) -> None:
        await ack("On it.")

    untyped.command("/bot")(command)
    payload = {"command": "/bot", "team_id": "T1", "user_id": "U2", "text": ""}
    answer = await acknowledge(app, envelope(payload, "slash_commands"))
    assert answer == {**ACKNOWLEDGED, "payload": {"text": "On it."}}


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("moonlight", {"type": "event_callback"}),
        ("", {}),
        ("events_api", None),
        ("events_api", {"type": "event_callback"}),
        ("events_api", {"type": "event_callback", "event": "text"}),
        ("events_api", {"type": "event_callback", "event": [], "authorizations": 7}),
        ("interactive", {"type": "block_actions", "team": "T1", "user": 7, "channel": []}),
    ],
)
async def test_what_nobody_can_ever_read_is_acknowledged(
    app: AsyncApp, kind: str, payload: JsonObject | None
) -> None:
    assert await acknowledge(app, envelope(payload, kind)) == ACKNOWLEDGED
