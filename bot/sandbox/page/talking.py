"""Acts of a person among others: saying, editing, deleting, reacting, inviting, stopping."""

from bot.sandbox.page import bodies
from bot.sandbox.page.person import Refused
from bot.sandbox.page.scene import Scene
from bot.sandbox.slack.limits import MAX_POST_TEXT
from bot.sandbox.slack.records import Channel
from bot.sandbox.slack.wire import JsonObject


async def say(scene: Scene, act: bodies.Say) -> JsonObject:
    """Post in a channel, or in a thread found by its root or any reply."""
    person = scene.person
    channel = person.channel(act.channel)
    _check_may_post(scene, channel)
    if not act.text.strip() and not scene.files:
        raise Refused("There is nothing to say.")
    ts = await person.slack.say(
        person.id,
        channel.id,
        _typed(scene, act.text),
        thread_ts=person.post(channel.id, act.thread_ts).root_ts if act.thread_ts else None,
        files=scene.files,
        reply_broadcast=act.broadcast,
    )
    return {"ts": ts}


def _check_may_post(scene: Scene, channel: Channel) -> None:
    if channel.is_read_only and channel.creator != scene.person.id:
        creator = scene.person.slack.state.users[channel.creator]
        raise Refused(f"Only {creator.real_name} may post in #{channel.name}.")


def _typed(scene: Scene, text: str) -> str:
    if len(text) > MAX_POST_TEXT:
        raise Refused(f"A message has at most {MAX_POST_TEXT:,} characters, yours {len(text):,}.")
    return scene.person.slack.typed(text)


async def edit(scene: Scene, act: bodies.Edit) -> JsonObject:
    """Give one's own post another text."""
    post = scene.person.own_post(act.channel, act.ts)
    if not act.text.strip() and not post.files:
        raise Refused("A message cannot be empty. It can be deleted.")
    text = _typed(scene, act.text)
    await scene.person.slack.edit(scene.person.id, post.channel, post.ts, text)
    return {}


async def delete(scene: Scene, act: bodies.Message) -> JsonObject:
    """Delete one's own post."""
    post = scene.person.own_post(act.channel, act.ts)
    await scene.person.slack.delete(post.channel, post.ts)
    return {}


async def react(scene: Scene, act: bodies.React) -> JsonObject:
    """Add or take back a reaction; doing either twice changes nothing."""
    person = scene.person
    post = person.lasting_post(act.channel, act.ts)
    change = person.slack.unreact if act.remove else person.slack.react
    await change(person.id, post.channel, post.ts, act.name)
    return {}


async def invite(scene: Scene, act: bodies.Invite) -> JsonObject:
    """Bring the bot into a channel."""
    slack, channel = scene.person.slack, scene.person.channel(act.channel)
    if channel.is_direct:
        raise Refused("Nobody can be invited into a direct conversation.")
    if slack.bot_user_id in channel.members:
        raise Refused(f"The bot is in #{channel.name} already.")
    await slack.invite(scene.person.id, channel.id, slack.bot_user_id)
    return {}


async def open_home(scene: Scene, act: bodies.OpenHome) -> JsonObject:
    """Open the app on one of its tabs; the app may then publish a view."""
    await scene.person.slack.open_home(scene.person.id, tab=act.tab)
    return {}


async def stop(scene: Scene, act: bodies.Stop) -> JsonObject:
    """Stop what the app does in a thread."""
    person = scene.person
    root = person.post(act.channel, act.thread_ts)
    await person.slack.stop_session(person.id, root.channel, root.root_ts)
    return {}
