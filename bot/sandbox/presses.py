"""What a person finds in Slack to press: buttons by name, and links for their eyes."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.sandbox import SandboxError
from bot.sandbox.slack import SlackStandIn
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
    url: str
    """Where it leads, if it leads anywhere."""
    only_for: str | None
    """Whom alone its post is shown to."""

    def is_called(self, name: str) -> bool:
        """Whether its action id ends with the name, or its label is the name."""
        wanted = name.strip().casefold()
        return self.action_id.casefold().endswith(wanted) or self.label.casefold() == wanted

    def __str__(self) -> str:
        return f"{self.label!r} ({self.action_id})"


def find_buttons(slack: SlackStandIn, user: str) -> list[Button]:
    """The buttons of the bot's posts that a person sees, those of the newest post first."""
    person = slack.user_id(user)
    seen = [
        post
        for channel in slack.state.channels.values()
        if person in channel.members
        for post in slack.posts(channel.id)
        if post.user == slack.bot_user_id and post.ephemeral_to in (None, person)
    ]
    return [
        Button(
            channel=post.channel,
            ts=post.ts,
            block_id=str(block.get("block_id")),
            action_id=str(element["action_id"]),
            label=str((as_object(element.get("text")) or {}).get("text") or ""),
            url=str(element.get("url") or ""),
            only_for=post.ephemeral_to,
        )
        for post in sorted(seen, key=lambda post: post.ts, reverse=True)
        for block in post.blocks
        for element in _buttons_in(block)
    ]


def find_own_links(slack: SlackStandIn, user: str) -> list[str]:
    """The addresses behind the buttons of the newest post that this person alone sees."""
    linked = [each for each in find_buttons(slack, user) if each.url and each.only_for]
    return [each.url for each in linked if each.ts == linked[0].ts]


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


def _buttons_in(value: object) -> Iterator[JsonObject]:
    fields = as_object(value)
    if fields is not None and fields.get("type") == "button" and fields.get("action_id"):
        yield fields
        return
    for item in fields.values() if fields is not None else as_array(value) or ():
        yield from _buttons_in(item)
