"""Acts on what the app has shown: buttons, menus, modals, shortcuts, slash commands."""

from bot.sandbox.page import bodies, elements
from bot.sandbox.page.person import Refused
from bot.sandbox.page.scene import Scene
from bot.sandbox.slack import Delivery
from bot.sandbox.slack.actions import blocks_of_post
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.wire import JsonObject, as_object

NO_ANSWER = "The app did not answer within 3 seconds."
NOT_CONNECTED = "The app is not connected, so nobody answered."


async def click(scene: Scene, act: bodies.Click) -> JsonObject:
    """Use an element of a post."""
    person = scene.person
    post = person.post(act.channel, act.ts)
    elements.find(blocks_of_post(post), act.action_id, act.block_id)
    with elements.offered():
        delivery = await person.slack.click(
            person.id,
            post.channel,
            post.ts,
            act.action_id,
            elements.entered(act.value),
            block_id=act.block_id,
        )
    _answered(delivery)
    return {}


async def click_view(scene: Scene, act: bodies.ClickView) -> JsonObject:
    """Use an element of a modal or of App Home."""
    person, view = scene.person, scene.person.view(act.view_id)
    elements.find(elements.blocks_of_view(view), act.action_id, act.block_id)
    with elements.offered():
        delivery = await person.slack.click_view(
            person.id,
            view.id,
            act.action_id,
            elements.entered(act.value),
            block_id=act.block_id,
        )
    _answered(delivery)
    return {}


async def submit_view(scene: Scene, act: bodies.SubmitView) -> JsonObject:
    """Submit a modal; `errors` by block id when the form or the app does not accept it."""
    person, view = scene.person, scene.person.modal(act.view_id)
    entered = elements.entered_values(view, act.values)
    if missing := elements.missing_values(view, entered):
        return {"errors": missing}
    elements.check_choices(view, entered)
    try:
        delivery = await person.slack.submit_view(person.id, view.id, entered)
    except ApiError as error:
        raise Refused(f"Slack refuses the view that the app answered: {error.code}.") from error
    except KeyError:
        raise Refused("The app answered with a view and left the view out.") from None
    answer = _answered(delivery).answer or {}
    is_refused = answer.get("response_action") == "errors"
    return {"errors": as_object(answer.get("errors")) or {}} if is_refused else {}


async def close_view(scene: Scene, act: bodies.CloseView) -> JsonObject:
    """Close a modal, or all of them; whether the app hears it is no matter for the person."""
    person, view = scene.person, scene.person.modal(act.view_id)
    await person.slack.close_view(person.id, view.id, all_views=act.all)
    return {}


async def slash(scene: Scene, act: bodies.Slash) -> JsonObject:
    """Run a slash command that the app has declared."""
    person, channel = scene.person, scene.person.channel(act.channel)
    if not scene.features.has_command(act.command):
        raise Refused(f"{act.command} is not a command of the app.")
    try:
        delivery = await person.slack.slash(person.id, channel.id, act.command, act.text)
    except ApiError as error:
        raise Refused(f"Slack refuses the message that the app answered: {error.code}.") from error
    _answered(delivery)
    return {}


async def message_shortcut(scene: Scene, act: bodies.UseMessageShortcut) -> JsonObject:
    """Run a shortcut on a post."""
    person = scene.person
    if not scene.features.has_shortcut("message", act.callback_id):
        raise Refused("The app has no such shortcut.")
    post = person.lasting_post(act.channel, act.ts)
    _answered(
        await person.slack.use_message_shortcut(person.id, post.channel, post.ts, act.callback_id)
    )
    return {}


def _answered(delivery: Delivery) -> Delivery:
    if delivery.acked_at_s is None:
        raise Refused(NO_ANSWER if delivery.reached_socket else NOT_CONNECTED)
    return delivery
