"""What a person finds in Slack to press: buttons by name, links for their eyes, a form."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.sandbox import SandboxError
from bot.sandbox.slack import Post, SlackStandIn
from bot.sandbox.slack.wire import JsonObject, as_array, as_object


class NoButtonError(SandboxError):
    """A press was not possible or came to nothing; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A button of a post; the same one has the same place in a later version of its post."""

    channel: str
    ts: str
    block_id: str
    action_id: str
    label: str

    def is_called(self, name: str) -> bool:
        """Whether its action id ends with the name, or its label is the name."""
        wanted = name.strip().casefold()
        return self.action_id.casefold().endswith(wanted) or self.label.casefold() == wanted

    def __str__(self) -> str:
        return f"{self.label!r} ({self.action_id})"


def read_names(texts: Iterable[str]) -> tuple[str, ...]:
    """The names of buttons, in their order: `connect,approve`."""
    names = [name.strip() for text in texts for name in text.split(",")]
    return tuple(name for name in names if name)


def find_buttons(slack: SlackStandIn, user: str) -> list[Button]:
    """The buttons of the bot's posts that a person sees, those of the newest post first."""
    return [
        Button(
            channel=post.channel,
            ts=post.ts,
            block_id=str(block.get("block_id")),
            action_id=str(element["action_id"]),
            label=str((as_object(element.get("text")) or {}).get("text") or ""),
        )
        for post in _posts_before(slack, user)
        for block in post.blocks
        for element in _buttons_in(block)
    ]


def find_own_links(slack: SlackStandIn, user: str) -> list[str]:
    """The addresses behind the buttons of the newest post that this person alone sees."""
    person = slack.user_id(user)
    for post in _posts_before(slack, user):
        elements = [element for block in post.blocks for element in _buttons_in(block)]
        links = [str(element["url"]) for element in elements if element.get("url")]
        if links and post.ephemeral_to == person:
            return links
    return []


def find_modal(slack: SlackStandIn, user: str) -> str | None:
    """The id of the modal that a person has before them."""
    person = slack.user_id(user)
    views = [view for view in slack.state.views.values() if view.type == "modal"]
    return next((view.id for view in reversed(views) if view.user == person), None)


async def press(slack: SlackStandIn, user: str, button: Button) -> None:
    """A person presses a button.

    Raises:
        NoButtonError: the bot did not acknowledge it, so the person sees a warning sign.
    """
    delivery = await slack.click(
        user, button.channel, button.ts, button.action_id, block_id=button.block_id
    )
    if delivery.acked_at_s is None:
        raise NoButtonError(f"The bot did not acknowledge that {button} was pressed.")


def list_buttons(buttons: list[Button]) -> str:
    """What there is to press, as a sentence."""
    names = ", ".join(dict.fromkeys(map(str, buttons)))
    return f"These buttons are there: {names}." if names else "There is no button at all."


def _posts_before(slack: SlackStandIn, user: str) -> list[Post]:
    """The bot's posts that a person sees, the newest first."""
    person = slack.user_id(user)
    posts = [
        post
        for channel in slack.state.channels.values()
        if person in channel.members
        for post in slack.posts(channel.id)
        if post.user == slack.bot_user_id and post.ephemeral_to in (None, person)
    ]
    return sorted(posts, key=lambda post: post.ts, reverse=True)


def _buttons_in(value: object) -> Iterator[JsonObject]:
    fields = as_object(value)
    if fields is not None and fields.get("type") == "button" and fields.get("action_id"):
        yield fields
        return
    for item in fields.values() if fields is not None else as_array(value) or ():
        yield from _buttons_in(item)
