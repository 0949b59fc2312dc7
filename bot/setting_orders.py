"""Settings in words: proposed, agreed to by a click of a person who may, told in the channel.

The proposal's button carries the change, so that nothing is stored before somebody agrees.
"""

from dataclasses import dataclass

from agent_core.ids import UserId
from agent_core.messages import InboundMessage
from agent_core.runtime import Runtime, detect_language
from agent_core.scoped_settings import SCOPES, SETTINGS, Held, HeldValue, scopes_of
from agent_core.words import Words
from agent_core.yaml_files import nearest
from bot import clicks
from bot.clicks import Gesture, Refused, SettingClick
from bot.digests import DigestMessages, DigestOrders
from bot.render import PostDraft, card, foreign_line, mention
from bot.slack_api import Op, Person, Receipt, language_of
from bot.threads import parse_session, parse_user
from bot.words import BOT

VALUE_CHARS = 1_000


@dataclass(slots=True)
class SettingOrders:
    """Takes what people want set. A message or a click may come again, and leaves the same."""

    _runtime: Runtime
    _orders: DigestOrders
    _digests: DigestMessages | None = None

    async def take(self, message: InboundMessage) -> bool:
        """Answer an order, of a digest or about settings; False for any other message."""
        if self._digests and await self._digests.take(message, is_order=True):
            return True
        effective = await self._runtime.scopes.at(message.session)
        draft = await self._runtime.read_setting(message.text, effective.held, message.payer)
        if not draft.is_about_settings:
            return False
        language = detect_language(message.text, locale=message.author_locale)
        scope = scopes_of(message.session)[draft.scope]
        click = SettingClick(
            scope=scope,
            texts=draft.changes,
        )
        try:
            answer = await self._proposal(click, message.asker, BOT.of(language))
        except Refused as refused:
            answer = PostDraft(text=refused.text(language))
        await self._orders.answer(parse_session(message.session), message.key, answer)
        return True

    async def _proposal(self, click: SettingClick, asker: UserId, words: Words) -> PostDraft:
        """What would hold and what holds now, with the button; only the latter without a change."""
        held = (await self._runtime.scopes.at(click.scope)).held
        if not click.texts:
            return PostDraft(text=listing(held, words))
        await self._check(click, asker)
        wanted = listing(_wanted(click), words)
        current = {name: held[name] for name in click.texts}
        now = listing(current, words)
        text = words("setting-proposal", wanted=wanted, now=now)
        return card(text, clicks.button(words("setting-agree"), click, "primary"))

    async def agree(self, click: SettingClick, gesture: Gesture, person: Person) -> None:
        """The handler of the button."""
        await self._check(click, gesture.by)
        text = await self.change(click, gesture, BOT.of(language_of(person)))
        post = Receipt(gesture.sender.channel, gesture.message_ts)
        await self._orders.show(post, card(text))

    async def change(self, click: SettingClick, gesture: Gesture, words: Words) -> str:
        """Set the values and tell the channel that they are about; the sentence about it."""
        await self._runtime.scopes.change(
            click.scope,
            click.texts,
            gesture.by,
            key=gesture.key,
            now=self._orders.clock(),
        )
        who = mention(gesture.by)
        values = listing(_wanted(click), words)
        text = words("setting-changed", who=who, values=values)
        _, *channel = click.scope.split(":")
        if len(channel) == 1:
            op = Op(gesture.key).part("setting")
            since = gesture.pressed_ts
            await self._orders.api.announce(
                channel[0],
                text,
                op=op,
                since=since,
            )
        return text

    async def _check(self, click: SettingClick, by: UserId) -> None:
        """Raises Refused where the person may not, a value is none, or the file sets it."""
        _, *channel = click.scope.split(":")
        about = await self._orders.api.channels.about(channel[0]) if channel else None
        manager = about.manager if about else ""
        person = await self._orders.people.person(parse_user(by)[1])
        if person is None or not (person.is_admin or person.id == manager):
            raise Refused("setting-not-yours", who=manager or "NOBODY")
        for name, text in click.texts.items():
            fault = self._runtime.scopes.fault(click.scope, name, text)
            if fault:
                near = nearest(name, SETTINGS)
                raise Refused(f"setting-{fault}", name=name, near=near)


def listing(held: Held, words: Words) -> str:
    """A line for each value, with its origin; what is as usual comes last."""
    lines: list[str] = []
    usual: list[str] = []
    for name, values in held.items():
        for each in values:
            line = words(
                "setting-line",
                name=name,
                value=_in_words(name, each.text, words),
                origin=each.origin,
            )
            (usual if each.origin == "default" else lines).append(line)
    return "\n".join([*lines, *usual])


def _in_words(name: str, text: str, words: Words) -> str:
    """A value as people say it."""
    case = f"{name}-{text.casefold()}"
    if text == "*":
        case = f"{name}-all"
    elif text and name == "budget":
        case = name
    elif text and name.endswith("_days"):
        case = "days"
    return words("setting-value", case=case, value=foreign_line(text, VALUE_CHARS))


def _wanted(click: SettingClick) -> Held:
    """The values of a click as those of its scope."""
    origin = SCOPES[click.scope.count(":")]
    return {name: [HeldValue(text, origin)] for name, text in click.texts.items()}
