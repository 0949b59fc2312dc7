"""Slack's rules on modals and App Home (SLACK.md 3.9, 2.3, 2.6, 4.3)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.bot.sandbox.slack.refusals import error_of, refusal_of
from tests.conformance.slack_app import RecordingApp, Web, web_client
from tests.conformance.slack_blocks import actions, button, plain
from tests.conformance.slack_team import Json, Team

NAME: Json = {
    "type": "input",
    "block_id": "name",
    "label": plain("Name"),
    "element": {"type": "plain_text_input", "action_id": "name_in"},
}
ROW: Json = {**actions(button(action_id="approve")), "block_id": "row"}
MODAL: Json = {
    "type": "modal",
    "callback_id": "form",
    "title": plain("Form"),
    "submit": plain("Send"),
    "blocks": [NAME],
}
HOME: Json = {"type": "home", "blocks": [ROW]}


async def open_modal(app: RecordingApp, **fields: object) -> Json:
    trigger_id = await app.trigger("ann")
    answer = await app.web.views_open(trigger_id=trigger_id, view={**MODAL, **fields})
    view: Json = answer["view"]
    return view


async def test_a_modal_comes_back_with_what_slack_sets(team: Team, app: RecordingApp) -> None:
    view = await open_modal(app)
    assert (view["team_id"], view["bot_id"]) == (team.team_id, team.bot_id)
    assert (view["root_view_id"], view["previous_view_id"]) == (view["id"], None)
    assert (view["hash"] != "", view["state"]) == (True, {"values": {}})
    assert [shown["id"] for shown in team.open_views("ann")] == [view["id"]]


async def test_a_submission_brings_the_values_and_closes_the_modal(
    team: Team, app: RecordingApp
) -> None:
    view = await open_modal(app, private_metadata="{}")
    await team.submit_view("ann", view["id"], {"name_in": "Ann"})
    body = await app.payload("view_submission")
    values = body["view"]["state"]["values"]
    assert values == {"name": {"name_in": {"type": "plain_text_input", "value": "Ann"}}}
    assert (body["view"]["private_metadata"], body["response_urls"]) == ("{}", [])
    assert team.open_views("ann") == []


async def test_errors_keep_the_modal_open(team: Team, app: RecordingApp) -> None:
    errors = {"response_action": "errors", "errors": {"name": "a name, please"}}
    app.answers["form"] = errors
    view = await open_modal(app)
    receipt = await team.submit_view("ann", view["id"], {"name_in": "?"})
    assert receipt.answer == errors
    assert [shown["id"] for shown in team.open_views("ann")] == [view["id"]]


@pytest.mark.parametrize(
    ("action", "titles"),
    [
        pytest.param("update", ["Done"], id="2.3 update"),
        pytest.param("push", ["Form", "Done"], id="2.3 push"),
        pytest.param("clear", [], id="2.3 clear"),
    ],
)
async def test_a_submission_can_be_answered_with_a_view(
    team: Team, app: RecordingApp, action: str, titles: list[str]
) -> None:
    view: Json = {"type": "modal", "title": plain("Done"), "blocks": []}
    app.answers["form"] = {"response_action": action, "view": view}
    opened = await open_modal(app)
    await team.submit_view("ann", opened["id"], {"name_in": "Ann"})
    assert [shown["title"]["text"] for shown in team.open_views("ann")] == titles


async def test_a_close_is_told_only_to_those_who_asked(team: Team, app: RecordingApp) -> None:
    silent = await open_modal(app)
    await team.close_view("ann", silent["id"])
    asked = await open_modal(app, notify_on_close=True, callback_id="asked")
    await team.close_view("ann", asked["id"])
    body = await app.payload("view_closed")
    assert (body["view"]["callback_id"], body["is_cleared"]) == ("asked", False)
    assert sum(b.get("type") == "view_closed" for b in app.bodies) == 1


async def test_a_chosen_channel_brings_a_response_url_where_it_was_asked_for(
    team: Team, app: RecordingApp, general: str
) -> None:
    element = {"type": "conversations_select", "action_id": "in", "response_url_enabled": True}
    place = {"type": "input", "block_id": "ch", "label": plain("Where"), "element": element}
    view = await open_modal(app, blocks=[place])
    await team.submit_view("ann", view["id"], {"in": general})
    (url,) = (await app.payload("view_submission"))["response_urls"]
    assert (url["block_id"], url["action_id"], url["channel_id"]) == ("ch", "in", general)
    assert url["response_url"]


async def test_a_trigger_is_good_once_and_for_three_seconds(team: Team, app: RecordingApp) -> None:
    # 2.6
    used = await app.trigger("ann")
    await app.web.views_open(trigger_id=used, view=MODAL)
    again = app.web.views_open(trigger_id=used, view=MODAL)
    assert await error_of(again) == "exchanged_trigger_id"
    late = await app.trigger("ann")
    team.pass_time(3.1)
    expired = app.web.views_open(trigger_id=late, view=MODAL)
    assert await error_of(expired) == "expired_trigger_id"
    made_up = app.web.views_open(trigger_id="1.2.3", view=MODAL)
    assert await error_of(made_up) == "invalid_trigger_id"


async def test_three_modals_can_lie_on_each_other(team: Team, app: RecordingApp) -> None:
    # 4.3
    async def push() -> Json:
        trigger_id = await app.trigger("ann")
        answer: Json = (await app.web.views_push(trigger_id=trigger_id, view=MODAL)).data["view"]
        return answer

    assert await error_of(push()) == "not_found"
    first = await open_modal(app)
    second = await push()
    assert second["previous_view_id"] == second["root_view_id"] == first["id"]
    await push()
    assert len(team.open_views("ann")) == 3
    assert await error_of(push()) == "push_limit_reached"


async def test_an_outdated_hash_is_a_conflict(team: Team, app: RecordingApp) -> None:
    view = await open_modal(app)
    changed = {**MODAL, "title": plain("New")}
    update = app.web.views_update
    newer = (await update(view_id=view["id"], view=changed, hash=view["hash"]))["view"]
    assert newer["hash"] != view["hash"]
    stale = update(view_id=view["id"], view=MODAL, hash=view["hash"])
    assert await error_of(stale) == "hash_conflict"
    assert team.open_views("ann")[0]["title"]["text"] == "New"
    assert await error_of(update(view_id="V0", view=MODAL)) == "not_found"


async def test_an_external_id_finds_its_view_and_stands_once(team: Team, app: RecordingApp) -> None:
    await app.web.views_publish(
        user_id=team.people["ben"], view={**HOME, "external_id": "bens_home"}
    )
    view = await open_modal(app, external_id="anns_form")
    titled = {**MODAL, "external_id": "anns_form", "title": plain("Found")}
    found = await app.web.views_update(external_id="anns_form", view=titled)
    assert found["view"]["id"] == view["id"]
    for taken in ("anns_form", "bens_home"):
        trigger_id = await app.trigger("cleo")
        call = app.web.views_open(trigger_id=trigger_id, view={**MODAL, "external_id": taken})
        assert await error_of(call) == "duplicate_external_id"


def _fault(rule: str, fields: Json, message: str, pointer: str) -> Any:
    return pytest.param(fields, f"{message} [json-pointer:{pointer}]", id=rule)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        _fault("title", {"title": None}, "missing required field: title", "/view"),
        _fault(
            "4.3 input without submit", {"submit": None}, "missing required field: submit", "/view"
        ),
        _fault(
            "4.3 title of 25",
            {"title": plain("x" * 25)},
            "must be less than 25 characters",
            "/view/title/text",
        ),
        _fault(
            "4.3 metadata",
            {"private_metadata": "x" * 3001},
            "must be less than 3001 characters",
            "/view/private_metadata",
        ),
        _fault(
            "4.4 101 blocks",
            {"blocks": [{"type": "divider"}] * 101},
            "no more than 100 items allowed",
            "/view/blocks",
        ),
        _fault(
            "4.1 of messages",
            {"blocks": [{"type": "markdown", "text": "x"}]},
            "unsupported type: markdown",
            "/view/blocks/0/type",
        ),
    ],
)
async def test_a_faulty_modal_is_refused_and_pointed_to(
    app: RecordingApp, fields: Json, message: str
) -> None:
    refusal = await refusal_of(open_modal(app, **fields))
    assert refusal["error"] == "invalid_arguments"
    assert f"[ERROR] {message}" in refusal["response_metadata"]["messages"]


async def test_a_view_of_250_kilobytes_is_too_large(app: RecordingApp) -> None:
    # 4.3
    sections = [{"type": "section", "text": plain("x" * 3000)}] * 90
    call = open_modal(app, blocks=sections, submit=None)
    assert await error_of(call) == "view_too_large"


async def test_a_home_is_published_seen_and_guarded_by_its_hash(
    team: Team, app: RecordingApp
) -> None:
    # 2.5: the event brings the view only for the Home tab, and once there is one.
    ann = team.people["ann"]
    await team.open_home("ann")
    await app.gets("app_home_opened")
    view = (await app.web.views_publish(user_id=ann, view=HOME))["view"]
    await app.web.views_publish(user_id=ann, view=HOME, hash=view["hash"])
    stale = app.web.views_publish(user_id=ann, view=HOME, hash="0.0")
    assert await error_of(stale) == "hash_conflict"
    await team.open_home("ann")
    await app.gets("app_home_opened", 2)
    await team.open_home("ann", tab="messages")
    opened = await app.gets("app_home_opened", 3)
    assert ["view" in event for event in opened] == [False, True, False]
    shown = team.home("ann")
    assert shown is not None
    assert shown["blocks"][0]["block_id"] == "row"


async def test_a_button_of_a_home_names_its_view(team: Team, app: RecordingApp) -> None:
    # 2.6
    published = await app.web.views_publish(user_id=team.people["ann"], view=HOME)
    await team.click_view("ann", published["view"]["id"], "approve")
    body = await app.payload("block_actions")
    assert body["container"] == {"type": "view", "view_id": published["view"]["id"]}
    assert not {"channel", "message", "response_url"} & body.keys()


@pytest.mark.parametrize("name", ["title", "submit", "close"], ids=lambda name: f"4.3 {name}")
async def test_a_home_has_no_frame(team: Team, web: Web, name: str) -> None:
    view = {**HOME, name: plain("x")}
    call = web.views_publish(user_id=team.people["ann"], view=view)
    assert await error_of(call) == "invalid_arguments"


async def test_a_home_needs_the_tab_and_a_person(new_team: Callable[..., Team]) -> None:
    async with new_team(home_tab=False) as team:
        call = web_client(team).views_publish(user_id=team.people["ann"], view=HOME)
        assert await error_of(call) == "not_enabled"
    async with new_team() as team:
        call = web_client(team).views_publish(user_id="U0NOBODY", view=HOME)
        assert await error_of(call) == "missing_profile_id"
