"""Slack's rules on buttons, menus, response URLs, shortcuts and commands (SLACK.md 2.3, 2.6, 6)."""

import asyncio

import aiohttp
import pytest

from tests.conformance.slack_app import RecordingApp
from tests.conformance.slack_blocks import actions, button, plain
from tests.conformance.slack_team import Json, Team

APPROVE = button(action_id="approve", value="42", text=plain("Approve"))
PICK: Json = {
    "type": "static_select",
    "action_id": "pick",
    "options": [{"text": plain("One"), "value": "1"}, {"text": plain("Two"), "value": "2"}],
}
SEARCH: Json = {"type": "external_select", "action_id": "search", "min_query_length": 1}
ROW = {**actions(APPROVE, PICK, SEARCH), "block_id": "row"}


async def post_row(app: RecordingApp, channel: str, **more: object) -> str:
    answer = await app.web.chat_postMessage(channel=channel, text="Well?", blocks=[ROW], **more)
    return str(answer["ts"])


async def post_to(url: str, **message: object) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.post(url, json=message) as answer:
        return answer.status, await answer.text()


async def test_a_click_brings_the_value_and_the_message(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 2.6
    root = await team.say("ann", "general", "may I?")
    ts = await post_row(app, general, thread_ts=root)
    receipt = await team.click("ben", "general", ts, "approve")
    assert receipt.acked_at_s is not None
    body = await app.payload("block_actions")
    (action,) = body["actions"]
    assert (action["action_id"], action["block_id"], action["value"]) == ("approve", "row", "42")
    assert (body["user"]["id"], body["channel"]["id"]) == (team.people["ben"], general)
    assert body["container"] == {
        "type": "message",
        "message_ts": ts,
        "channel_id": general,
        "is_ephemeral": False,
        "thread_ts": root,
    }
    assert body["message"]["ts"] == ts


async def test_a_menu_brings_the_chosen_option_and_the_state_of_its_message(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 2.6
    ts = await post_row(app, general)
    await team.click("ben", "general", ts, "pick", "2")
    body = await app.payload("block_actions")
    assert body["actions"][0]["selected_option"]["value"] == "2"
    values = body["state"]["values"]["row"]
    assert values["pick"]["selected_option"]["value"] == "2"
    assert values["search"]["selected_option"] is None
    assert "approve" not in values


async def test_an_unacknowledged_click_is_not_sent_again(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 2.3: three seconds, then the person sees a failure.
    app.is_silent = True
    ts = await post_row(app, general)
    async with asyncio.TaskGroup() as tasks:
        click = tasks.create_task(team.click("ann", "general", ts, "approve"))
        await app.payload("block_actions")
        team.pass_time(3)
    assert click.result().acked_at_s is None
    team.pass_time(400)
    app.is_silent = False
    await team.slash("ann", "general", "/after")
    assert sum(body.get("type") == "block_actions" for body in app.bodies) == 1


async def test_an_ephemeral_message_is_not_told_and_changed_by_its_response_url_alone(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 6
    ann = team.people["ann"]
    await app.web.chat_postEphemeral(channel=general, user=ann, text="Well?", blocks=[ROW])
    (shown,) = team.seen("ann", "general")
    await team.click("ann", "general", shown["ts"], "approve")
    body = await app.payload("block_actions")
    assert "message" not in body
    assert body["container"]["is_ephemeral"] is True
    await post_to(body["response_url"], text="Approved.", replace_original=True)
    (changed,) = team.seen("ann", "general")
    assert (changed["text"], changed["ephemeral"]) == ("Approved.", True)
    await post_to(body["response_url"], delete_original=True)
    assert team.seen("ann", "general") == []


async def test_a_response_url_works_five_times_and_needs_no_token(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 6: by default it is seen by the one who clicked.
    ts = await post_row(app, general)
    await team.click("ann", "general", ts, "approve")
    url = (await app.payload("block_actions"))["response_url"]
    answers = [await post_to(url, text=str(number)) for number in range(6)]
    assert [status for status, _ in answers] == [200] * 5 + [404]
    assert answers[5][1] == "used_url"
    assert [m["text"] for m in team.seen("ann", "general")[1:]] == ["0", "1", "2", "3", "4"]
    assert len(team.seen("ben", "general")) == 1


async def test_a_response_url_works_for_30_minutes(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 6
    ts = await post_row(app, general)
    await team.click("ann", "general", ts, "approve")
    url = (await app.payload("block_actions"))["response_url"]
    team.pass_time(1800)
    assert (await post_to(url, text="in time"))[0] == 200
    team.pass_time(1)
    assert await post_to(url, text="late") == (404, "expired_url")


async def test_a_response_url_works_where_the_bot_is_no_member(
    team: Team, app: RecordingApp
) -> None:
    # 6: also in public, also in a thread, and without the sum over all blocks (4.3).
    root = await team.say("ann", "random", "look")
    await team.use_message_shortcut("ann", "random", root, "ask")
    url = (await app.payload("message_action"))["response_url"]
    sections = [{"type": "section", "text": plain("x" * 3000)}] * 5
    status, _ = await post_to(
        url, text="here", blocks=sections, response_type="in_channel", thread_ts=root
    )
    assert status == 200
    answer = team.seen("ben", "random")[1]
    assert (answer["text"], answer["thread_ts"]) == ("here", root)


async def test_a_message_is_changed_and_deleted_by_its_response_url(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 6
    ts = await post_row(app, general)
    await team.click("ann", "general", ts, "approve")
    url = (await app.payload("block_actions"))["response_url"]
    await post_to(url, text="Approved.", replace_original=True)
    history = await app.web.conversations_history(channel=general)
    assert [(m["ts"], m["text"]) for m in history["messages"]] == [(ts, "Approved.")]
    await post_to(url, delete_original=True)
    assert (await app.web.conversations_history(channel=general))["messages"] == []


async def test_an_external_menu_of_a_message_asks_the_app_for_its_options(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 2.3, 2.6
    app.answers["search"] = {"options": [{"text": plain("Three"), "value": "3"}]}
    ts = await post_row(app, general)
    options = await team.suggest("ann", "search", "thr", channel="general", ts=ts)
    assert [option["value"] for option in options] == ["3"]
    body = await app.payload("block_suggestion")
    assert (body["value"], body["action_id"], body["block_id"]) == ("thr", "search", "row")
    assert (body["container"]["message_ts"], body["message"]["ts"]) == (ts, ts)


async def test_the_choice_of_an_external_menu_brings_the_words_that_were_offered(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 2.6
    option = {"text": plain("The third one"), "value": "3"}
    app.answers["search"] = {"options": [option]}
    ts = await post_row(app, general)
    await team.suggest("ann", "search", "thi", channel="general", ts=ts)
    await team.click("ann", "general", ts, "search", "3")
    body = await app.payload("block_actions")
    assert body["actions"][0]["selected_option"] == option
    assert body["state"]["values"]["row"]["search"]["selected_option"] == option


async def test_a_slash_command_is_answered_to_the_asker(
    team: Team, app: RecordingApp, general: str
) -> None:
    # 2.3, 2.6: form-like, without a thread.
    app.answers["/ops"] = "All is well."
    await team.slash("ben", "general", "/ops", "status")
    body = await app.payload("/ops")
    assert (body["text"], body["channel_id"], body["user_name"]) == ("status", general, "ben")
    assert "thread_ts" not in body
    (answer,) = team.seen("ben", "general")
    assert (answer["text"], answer["ephemeral"]) == ("All is well.", True)
    assert team.seen("ann", "general") == []


async def test_a_slash_command_can_be_answered_in_the_channel(
    team: Team, app: RecordingApp
) -> None:
    # 2.3
    app.answers["/ops"] = {"text": "All is well.", "response_type": "in_channel"}
    await team.slash("ben", "general", "/ops")
    assert [m["text"] for m in team.seen("ann", "general")] == ["All is well."]


async def test_a_global_shortcut_has_no_channel_and_no_response_url(
    team: Team, app: RecordingApp
) -> None:
    # 2.6
    await team.use_shortcut("ann", "start")
    body = await app.payload("shortcut")
    assert (body["callback_id"], body["user"]["id"]) == ("start", team.people["ann"])
    assert body["trigger_id"]
    assert not {"channel", "response_url"} & body.keys()


async def test_a_message_shortcut_brings_the_message(team: Team, app: RecordingApp) -> None:
    # 2.6
    ts = await team.say("ann", "general", "look into this")
    await team.use_message_shortcut("ben", "general", ts, "ask")
    body = await app.payload("message_action")
    assert (body["callback_id"], body["message_ts"]) == ("ask", ts)
    assert body["message"]["text"] == "look into this"


@pytest.mark.parametrize("chosen", ["good", "bad"])
async def test_feedback_brings_the_value_of_the_button(
    team: Team, app: RecordingApp, general: str, chosen: str
) -> None:
    # 2.6
    feedback = {
        "type": "feedback_buttons",
        "action_id": "f",
        "positive_button": {"text": plain("Good"), "value": "good"},
        "negative_button": {"text": plain("Bad"), "value": "bad"},
    }
    blocks = [{"type": "context_actions", "elements": [feedback]}]
    answer = await app.web.chat_postMessage(channel=general, text="x", blocks=blocks)
    await team.click("ann", "general", answer["ts"], "f", chosen)
    (action,) = (await app.payload("block_actions"))["actions"]
    assert (action["type"], action["value"]) == ("feedback_buttons", chosen)
