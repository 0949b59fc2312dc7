"""Elements in a person's hands: what each tells the app, by mouse and by keyboard."""

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.bot.sandbox.page.render_harness import Harness

pytestmark = pytest.mark.asyncio(loop_scope="module")

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def option(name: str, **more: object) -> Json:
    return {"text": plain(name), "value": name.lower(), **more}


OPTIONS = [option("Api"), option("Web", description=plain("The site")), option("Worker")]
CONFIRM = {
    "title": plain("Sure?"),
    "text": {"type": "mrkdwn", "text": "This *cannot* be undone"},
    "confirm": plain("Do it"),
    "deny": plain("Stop"),
    "style": "danger",
}


async def show(harness: Harness, *elements: Json) -> None:
    shown = [{"action_id": "a", **element} for element in elements]
    await harness.blocks({"type": "actions", "block_id": "b", "elements": shown})


async def last_value(harness: Harness) -> object:
    said = await harness.said()
    assert said[-1]["action"]["block_id"] == "b"
    assert said[-1]["action"]["action_id"] == "a"
    return said[-1]["action"]["value"]


async def test_a_button_tells_its_value(harness: Harness) -> None:
    await show(harness, {"type": "button", "text": plain("Go :rocket:"), "value": "7"})
    await harness.main.get_by_role("button", name="Go").click()
    assert await last_value(harness) == "7"


async def test_a_link_button_opens_its_address_and_tells_the_app(harness: Harness) -> None:
    await show(harness, {"type": "button", "text": plain("Docs"), "url": "https://a.example"})
    link = harness.main.get_by_role("link", name="Docs")
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    async with harness.page.context.expect_page() as opened:
        await link.click()
    await (await opened.value).close()
    assert await last_value(harness) is None


async def test_a_button_is_busy_until_the_app_has_answered(harness: Harness) -> None:
    await show(harness, {"type": "button", "text": plain("Slow")})
    await harness.page.evaluate(
        """() => {
            const { ctx } = window.render;
            window.before = ctx.onAction;
            ctx.onAction = () => new Promise((done) => { window.answer = done; });
        }"""
    )
    button = harness.main.get_by_role("button", name="Slow")
    await button.click()
    await expect(button).to_have_attribute("aria-busy", "true")
    await harness.page.evaluate("window.answer(); window.render.ctx.onAction = window.before;")
    await expect(button).not_to_have_attribute("aria-busy", "true")


async def test_a_confirmation_is_asked_first(harness: Harness) -> None:
    await show(harness, {"type": "button", "text": plain("Drop"), "value": "x", "confirm": CONFIRM})
    button = harness.main.get_by_role("button", name="Drop")
    dialog = harness.page.get_by_role("dialog", name="Sure?")
    await button.click()
    await expect(dialog).to_contain_text("This cannot be undone")
    await dialog.get_by_role("button", name="Stop").click()
    await expect(dialog).to_have_count(0)
    await expect(button).to_be_focused()
    assert await harness.said() == []
    await button.click()
    await dialog.get_by_role("button", name="Do it").click()
    await harness.hears(1)
    assert await last_value(harness) == "x"


async def test_a_choice_taken_back_in_the_confirmation_is_undone(harness: Harness) -> None:
    boxes = {"type": "checkboxes", "options": OPTIONS, "confirm": CONFIRM}
    menu = {"type": "static_select", "options": OPTIONS, "confirm": CONFIRM, "action_id": "s"}
    await show(harness, boxes, menu)
    await harness.main.get_by_label("Api").click()
    await harness.page.get_by_role("button", name="Stop").click()
    await expect(harness.main.get_by_label("Api")).not_to_be_checked()
    await choose(harness, harness.main.get_by_role("combobox"), "Worker")
    await harness.page.keyboard.press("Escape")
    await expect(harness.main.get_by_role("combobox")).to_have_value("")
    assert await harness.said() == []


async def choose(harness: Harness, box: Locator, name: str) -> None:
    await box.click()
    await harness.page.get_by_role("option", name=name).click()


async def test_a_select_is_opened_filtered_and_chosen_by_keyboard(harness: Harness) -> None:
    await show(
        harness, {"type": "static_select", "placeholder": plain("Service"), "options": OPTIONS}
    )
    box = harness.main.get_by_role("combobox", name="Service")
    options = harness.page.get_by_role("option")
    await box.focus()
    await harness.page.keyboard.press("ArrowDown")
    await expect(options).to_have_count(3)
    await expect(box).to_have_attribute("aria-expanded", "true")
    await harness.page.keyboard.type("w")
    await expect(options).to_have_text(["WebThe site", "Worker"])
    await harness.page.keyboard.press("ArrowDown")
    active = await box.get_attribute("aria-activedescendant")
    await expect(harness.page.locator(f"#{active}")).to_have_text("Worker")
    await harness.page.keyboard.press("Enter")
    await expect(box).to_have_value("Worker")
    await expect(options).to_have_count(0)
    assert await last_value(harness) == "worker"


async def test_escape_closes_the_list_and_keeps_the_choice(harness: Harness) -> None:
    await show(harness, {"type": "static_select", "options": OPTIONS, "initial_option": OPTIONS[0]})
    box = harness.main.get_by_role("combobox")
    await box.click()
    await harness.page.keyboard.type("zzz")
    await expect(harness.page.get_by_role("option")).to_have_text("No results")
    await harness.page.keyboard.press("Escape")
    await expect(box).to_have_value("Api")
    await expect(box).to_have_attribute("aria-expanded", "false")
    assert await harness.said() == []


async def test_options_stand_under_the_labels_of_their_groups(harness: Harness) -> None:
    groups = [
        {"label": plain("One"), "options": OPTIONS[:1]},
        {"label": plain("Two"), "options": OPTIONS[1:]},
    ]
    await show(harness, {"type": "static_select", "option_groups": groups})
    await harness.main.get_by_role("combobox").click()
    two = harness.page.get_by_role("group", name="Two")
    await expect(two.get_by_role("option")).to_have_count(2)


async def test_a_multi_select_collects_and_gives_back(harness: Harness) -> None:
    await show(
        harness,
        {"type": "multi_static_select", "options": OPTIONS, "max_selected_items": 2},
    )
    box = harness.main.get_by_role("combobox")
    await box.click()
    for name in ("Api", "Worker", "Web"):
        await harness.page.get_by_role("option", name=name).click()
    assert await last_value(harness) == ["api", "worker"]
    await harness.page.keyboard.press("Escape")
    await harness.main.get_by_role("button", name="Remove Api").click()
    assert await last_value(harness) == ["worker"]
    await box.press("Backspace")
    assert await last_value(harness) == []


@pytest.mark.parametrize(
    ("element", "names", "pick", "value"),
    [
        ({"type": "users_select"}, ["annAnn Other", "Ben Bell", "ops-agent"], "Ben", "U2"),
        ({"type": "channels_select"}, ["#general"], "general", "C1"),
        (
            {"type": "conversations_select"},
            ["#general", "#secret", "ops-agent"],
            "secret",
            "C2",
        ),
        (
            {"type": "conversations_select", "filter": {"include": ["im", "private"]}},
            ["#secret", "ops-agent"],
            "ops",
            "D1",
        ),
        (
            {"type": "conversations_select", "filter": {"exclude_bot_users": True}},
            ["#general", "#secret"],
            "general",
            "C1",
        ),
    ],
)
async def test_selects_of_people_and_channels_offer_those_of_the_team(
    harness: Harness, element: Json, names: list[str], pick: str, value: str
) -> None:
    await show(harness, element)
    await harness.main.get_by_role("combobox").click()
    options = harness.page.get_by_role("option")
    await expect(options).to_have_text(names)
    await options.filter(has_text=pick).click()
    assert await last_value(harness) == value


async def test_an_external_select_asks_the_app_as_one_types(harness: Harness) -> None:
    await show(harness, {"type": "external_select", "min_query_length": 2})
    box = harness.main.get_by_role("combobox")
    options = harness.page.get_by_role("option")
    await box.click()
    await expect(options).to_have_text("Type at least 2 characters to search")
    await harness.page.keyboard.type("de")
    await expect(options).to_have_text(["de alpha", "de beta"])
    await harness.page.keyboard.press("Enter")
    assert await last_value(harness) == "de-alpha"


async def test_an_overflow_menu_is_a_menu(harness: Harness) -> None:
    linked = {"text": plain("Docs"), "url": "https://a.example"}
    await show(harness, {"type": "overflow", "options": [*OPTIONS, linked]})
    opener = harness.main.get_by_role("button", name="More options")
    await opener.click()
    items = harness.page.get_by_role("menuitem")
    await expect(items.first).to_be_focused()
    await expect(items.last).to_have_attribute("href", "https://a.example/")
    await harness.page.keyboard.press("ArrowDown")
    await harness.page.keyboard.press("Enter")
    await expect(items).to_have_count(0)
    await expect(opener).to_be_focused()
    assert await last_value(harness) == "web"


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("datepicker", "2026-11-22", "2026-11-22"),
        ("timepicker", "09:30", "09:30"),
        ("datetimepicker", "2026-09-21T12:30", 1_789_986_600),
    ],
)
async def test_pickers_give_dates_and_times(
    harness: Harness, kind: str, typed: str, value: object
) -> None:
    await show(harness, {"type": kind})
    await harness.main.locator("input").fill(typed)
    await harness.main.locator("input").dispatch_event("change")
    assert await last_value(harness) == value


async def test_boxes_and_radios_give_what_is_ticked(harness: Harness) -> None:
    await show(harness, {"type": "checkboxes", "options": OPTIONS, "initial_options": OPTIONS[:1]})
    await harness.main.get_by_role("checkbox", name="Web").check()
    assert await last_value(harness) == ["api", "web"]
    await show(harness, {"type": "radio_buttons", "options": OPTIONS})
    await harness.main.get_by_role("radio", name="Worker").check()
    assert await last_value(harness) == "worker"


async def test_feedback_and_icon_buttons(harness: Harness) -> None:
    feedback = {
        "type": "feedback_buttons",
        "positive_button": {"text": plain("Good"), "value": "up"},
        "negative_button": {
            "text": plain("Bad"),
            "value": "down",
            "accessibility_label": "Not good",
        },
    }
    icon = {"type": "icon_button", "icon": "trash", "text": plain("Delete"), "value": "gone"}
    hidden = {**icon, "text": plain("Secret"), "visible_to_user_ids": ["U2"]}
    await show(harness, feedback, icon, hidden)
    good = harness.main.get_by_role("button", name="Good", exact=True)
    await good.click()
    await expect(good).to_have_attribute("aria-pressed", "true")
    assert await last_value(harness) == "up"
    await harness.main.get_by_role("button", name="Not good").click()
    await expect(good).to_have_attribute("aria-pressed", "false")
    assert await last_value(harness) == "down"
    await harness.main.get_by_role("button", name="Delete").click()
    assert await last_value(harness) == "gone"
    await expect(harness.main.get_by_role("button", name="Secret")).to_have_count(0)


@pytest.mark.parametrize(
    ("config", "keys", "value"),
    [
        (None, "Enter", "hello"),
        ({"trigger_actions_on": ["on_character_entered"]}, "!", "hello!"),
    ],
)
async def test_an_input_tells_the_app_where_its_block_asks_for_it(
    harness: Harness, config: Json | None, keys: str, value: str
) -> None:
    element = {"type": "plain_text_input", "action_id": "a", "initial_value": "hello"}
    block = {"type": "input", "block_id": "b", "label": plain("Name"), "dispatch_action": True}
    await harness.blocks(block | {"element": element | {"dispatch_action_config": config}})
    await harness.main.get_by_label("Name").press("End")
    await harness.main.get_by_label("Name").press(keys)
    await harness.hears(1)
    assert await last_value(harness) == value


async def test_an_input_that_nobody_asked_about_tells_nothing(harness: Harness) -> None:
    element = {"type": "static_select", "action_id": "a", "options": OPTIONS}
    await harness.blocks(
        {"type": "input", "block_id": "b", "label": plain("Service"), "element": element}
    )
    await choose(harness, harness.main.get_by_role("combobox", name="Service"), "Web")
    await expect(harness.main.get_by_role("combobox")).to_have_value("Web")
    assert await harness.said() == []
