"""A small echo bot written from the documentation of slack-bolt and slack_sdk alone.

It takes its addresses and tokens as any bot does and does not know where it runs.
"""

from typing import Any

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

FEEDBACK_BUTTON = {
    "type": "section",
    "text": {"type": "mrkdwn", "text": "What would you like?"},
    "accessory": {
        "type": "button",
        "action_id": "open_form",
        "text": {"type": "plain_text", "text": "Fill in a form"},
        "value": "form",
    },
}
FORM = {
    "type": "modal",
    "callback_id": "form",
    "title": {"type": "plain_text", "text": "An echo"},
    "submit": {"type": "plain_text", "text": "Echo"},
    "blocks": [
        {
            "type": "input",
            "block_id": "words",
            "label": {"type": "plain_text", "text": "Words"},
            "element": {"type": "plain_text_input", "action_id": "typed"},
        }
    ],
}


def make_app(bot_token: str, base_url: str) -> Any:
    """The bot; with Slack's own address it would talk to Slack."""
    app: Any = AsyncApp(client=AsyncWebClient(token=bot_token, base_url=base_url))
    app.event("app_mention")(answer_mention)
    app.event("message")(answer_direct_message)
    app.event("app_home_opened")(show_home)
    app.action("open_form")(open_form)
    app.view("form")(take_form)
    app.command("/echo")(answer_command)
    return app


def make_handler(app: Any, app_token: str) -> Any:
    """The socket over which the bot hears."""
    return AsyncSocketModeHandler(app, app_token)


async def answer_mention(event: dict[str, Any], say: Any, client: Any) -> None:
    """A button for "form", a file for "file", a stream for "stream", else the text again."""
    thread_ts = event.get("thread_ts") or event["ts"]
    words = event["text"].split(maxsplit=1)[-1]
    if words == "form":
        await say(text="What would you like?", blocks=[FEEDBACK_BUTTON], thread_ts=thread_ts)
    elif words == "file":
        await client.files_upload_v2(
            channel=event["channel"],
            thread_ts=thread_ts,
            filename="echo.txt",
            content="echo, echo",
            initial_comment="Your file.",
        )
    elif words == "stream":
        await stream_answer(event, client)
    else:
        await say(text=f"You said: {words}", thread_ts=thread_ts)


async def stream_answer(event: dict[str, Any], client: Any) -> None:
    """An answer that grows before the person's eyes."""
    stream = await client.chat_stream(
        channel=event["channel"],
        thread_ts=event.get("thread_ts") or event["ts"],
        recipient_team_id=event["team"],
        recipient_user_id=event["user"],
        buffer_size=8,
    )
    for word in ("Echo", " after", " echo"):
        await stream.append(markdown_text=word)
    await stream.stop(markdown_text=".")


async def answer_direct_message(event: dict[str, Any], say: Any) -> None:
    """The text again, in direct messages only."""
    if event.get("channel_type") == "im" and "subtype" not in event:
        await say(f"You said: {event['text']}")


async def show_home(event: dict[str, Any], client: Any) -> None:
    """The Home tab greets whoever opens it."""
    if event["tab"] != "home":
        return
    greeting = {"type": "mrkdwn", "text": f"Hello <@{event['user']}>"}
    blocks = [{"type": "section", "text": greeting}, FEEDBACK_BUTTON]
    await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": blocks})


async def open_form(ack: Any, body: dict[str, Any], client: Any) -> None:
    """The form, for a button."""
    await ack()
    await client.views_open(trigger_id=body["trigger_id"], view=FORM)


async def take_form(ack: Any, body: dict[str, Any], view: dict[str, Any], client: Any) -> None:
    """Words come back as a direct message; a form without any is shown again."""
    words = view["state"]["values"]["words"]["typed"]["value"]
    if not words.strip():
        await ack(response_action="errors", errors={"words": "Say something, please."})
        return
    await ack()
    await client.chat_postMessage(channel=body["user"]["id"], text=f"You said: {words}")


async def answer_command(ack: Any, command: dict[str, Any]) -> None:
    """For the asker alone."""
    await ack(f"You said: {command['text']}")
