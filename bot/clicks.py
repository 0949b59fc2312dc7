"""Gestures: what a button, a menu, a form or a command carries to its handler, and its refusal.

Each kind is a class. Its `kind` is the action id of the button, or the callback id of the form; the
other fields are JSON in the button's value, or in the form's `private_metadata`. Buttons stay in
threads for good, so a kind whose fields change gets another name.

To add a button: a class here, a handler in the room that it is about, a line in `bot/app.py`.
`bot/ingress/actions` finds the handler by the class, and tells a person why they are refused.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic_core import from_json

from agent_core.ids import AgentId, AskId, SessionId, TurnId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime.schedules import ScheduleId
from bot.inbound import Sender, objects_in
from bot.render import limits, plain_text
from bot.words import BOT

_NUMBER = re.compile(r"\.\d+$")
"""Tells buttons of one kind in one row apart: Slack wants each action id once."""


class Refused(Exception):
    """A click is not carried out. `sentence` names the words that tell the person why.

    Without a sentence nothing is told. `field` is the field of a form that the words are about.
    """

    def __init__(self, sentence: str, *, field: str = "", **slots: str | float) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.field = field
        self._slots = slots

    def text(self, language: str) -> str:
        """The words, in the language of whoever is refused."""
        return BOT.say(language, self.sentence, **self._slots) if self.sentence else ""


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def encoded(self) -> str:
        """The fields as a button's value."""
        return self.model_dump_json(exclude={"kind"}, exclude_defaults=True)


ApprovalButton = Literal["consent.approve", "consent.reject", "consent.edit"]


class ApprovalClick(_Payload):
    """The buttons of an approval."""

    kind: ApprovalButton
    ask: AskId


class ApprovalMenu(_Payload):
    """What else one can do with an approval, behind its three dots."""

    kind: Literal["consent.more"] = "consent.more"
    ask: AskId
    choice: Literal["details", "approve_thread"]


class ApprovalForm(_Payload):
    """The reason of a rejection, or other texts for a call; `session` is where it was opened."""

    kind: Literal["consent.reason_form", "consent.edit_form"]
    ask: AskId
    session: SessionId


class ConnectionClick(_Payload):
    """The buttons of a connection, with the apps that are to be connected."""

    kind: Literal["consent.link", "consent.skip", "consent.check", "consent.open"]
    ask: AskId
    apps: tuple[str, ...]


class QuestionClick(_Payload):
    """An option of a question, counted from 1; or the wish to answer in words of one's own."""

    kind: Literal["question.option", "question.other"]
    ask: AskId
    option: int = 0


class QuestionForm(_Payload):
    """An answer in a person's own words; `channel` and `ts` are the post's with the question."""

    kind: Literal["question.form"] = "question.form"
    ask: AskId
    channel: str
    ts: str


class FeedbackClick(_Payload):
    """What an answer was worth."""

    kind: Literal["feedback.give"] = "feedback.give"
    turn: TurnId
    verdict: Literal["up", "down"]


class FollowUpClick(_Payload):
    """A question below a report, or the wish for an answer below stopped work."""

    kind: Literal["follow.ask"] = "follow.ask"
    question: str


class LiveViewClick(_Payload):
    """“Open live view” below a plan."""

    kind: Literal["live.open"] = "live.open"


class BranchStop(_Payload):
    """A branch in the menu below a plan."""

    kind: Literal["branch.stop"] = "branch.stop"
    agent: AgentId


class AskShortcut(_Payload):
    """“Ask the agent about this” in the menu of a post; without an author for an app's post."""

    kind: Literal["ask.about"] = "ask.about"
    author: str = ""
    text: str = ""
    """The post's first words, as Slack has them."""


class WhyShortcut(_Payload):
    """“Why no answer?” in the menu of a post; its fields are those of AskShortcut."""

    kind: Literal["why.silent"] = "why.silent"
    author: str = ""
    text: str = ""


class AskForm(_Payload):
    """The question about a post, which is the one of `ts` in the thread of `session`."""

    kind: Literal["ask.form"] = "ask.form"
    session: SessionId
    ts: str
    author: str
    text: str = ""


ProposalKind = Literal["digest.confirm", "digest.replace", "digest.cancel", "digest.change"]


class ProposalClick(_Payload):
    """The buttons of a proposed digest."""

    kind: ProposalKind
    schedule: ScheduleId


class NewDigestClick(_Payload):
    """The form of a new digest is wanted; `task` are the words that could not be read."""

    kind: Literal["digest.new"] = "digest.new"
    task: str


ScheduleVerb = Literal["pause", "resume", "run", "edit", "delete"]


class ScheduleClick(_Payload):
    """The menu of a schedule in a list, or the buttons of the post about it alone."""

    kind: Literal["digest.menu", "digest.button"] = "digest.menu"
    schedule: ScheduleId
    verb: ScheduleVerb


class HomeScheduleClick(_Payload):
    """The same menu on App Home; without a schedule a new one is meant."""

    kind: Literal["home.schedule"] = "home.schedule"
    schedule: ScheduleId
    verb: ScheduleVerb


class DigestForm(_Payload):
    """A digest as it is wanted; without a schedule a new one, ordered in `session`.

    `ts` is the post's with the proposal that is changed, or empty.
    """

    kind: Literal["digest.form"] = "digest.form"
    schedule: ScheduleId = ScheduleId("")
    session: SessionId
    ts: str = ""


class SettingClick(_Payload):
    """A proposed change of settings; an empty text takes a value back."""

    kind: Literal["setting.agree"] = "setting.agree"
    scope: str
    texts: Mapping[str, str]


class HomeOpened(_Payload):
    """A person opened the app, at `home` or at `messages`."""

    kind: Literal["home.opened"] = "home.opened"
    tab: str


class Command(_Payload):
    """A person wrote the slash command."""

    kind: Literal["home.command"] = "home.command"
    command: str
    text: str


class SessionClick(_Payload):
    """Stop the work of a thread, or delete its files."""

    kind: Literal["home.stop", "home.delete"]
    session: SessionId


class AppClick(_Payload):
    """Connect an app: its name in the menu, and the button with the link."""

    kind: Literal["home.connect", "home.link"]
    app: str


class AccountClick(_Payload):
    """Disconnect an account."""

    kind: Literal["home.disconnect"] = "home.disconnect"
    account: str


class PreferenceClick(_Payload):
    """What a person chose for themselves."""

    kind: Literal["home.language", "home.digest_time"]
    choice: str


class ChannelClick(_Payload):
    """An admin picked a channel, and then which of its replies are answered."""

    kind: Literal["home.channel", "home.follow_ups"]
    channel: str
    choice: str = ""


class EraseClick(_Payload):
    """Delete everything about oneself."""

    kind: Literal["home.erase"] = "home.erase"


HomeClick = SessionClick | AppClick | AccountClick | PreferenceClick | ChannelClick
Payload = (
    ApprovalClick
    | ApprovalMenu
    | ApprovalForm
    | ConnectionClick
    | QuestionClick
    | QuestionForm
    | FeedbackClick
    | FollowUpClick
    | LiveViewClick
    | BranchStop
    | AskShortcut
    | WhyShortcut
    | AskForm
    | ProposalClick
    | NewDigestClick
    | ScheduleClick
    | HomeScheduleClick
    | DigestForm
    | SettingClick
    | HomeOpened
    | Command
    | EraseClick
    | HomeClick
)
NO_SESSION = SessionId("")
COMMAND_TEXT = "text"
"""The field of a command, and of its answer."""

Errors = Mapping[str, str]
"""What is wrong with a form: a sentence by the id of the block that it is about; of a command its
answer, which nobody but its author sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture:
    """One thing that a person did, with who did it and where."""

    key: str
    """Its identity: a press has its own, and so has a form that is sent again with other values."""
    payload: Payload
    sender: Sender
    by: UserId
    answered: Literal["alone", "in_form", "as_command"] = "alone"
    """Where what is said to the person goes: a post for them alone, or the answer to Slack."""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    """What was entered into a form, by block id; what was left empty is empty."""
    first_field: str = ""
    """The block at which an error may stand that is about no other."""
    session: SessionId = NO_SESSION
    """That of the thread with the button; empty in a view."""
    thread_ts: str = ""
    """The root of that thread; empty too for a post that no thread has begun with."""
    message_ts: str = ""
    """The post with the button; empty in a view."""
    post: JsonObject = field(default_factory=JsonObject)
    """That post as it was then; empty in a view."""
    pressed_ts: str = ""
    trigger_id: str = ""
    """Opens one modal, for three seconds; empty where it is too late for that."""
    response_url: str = ""
    """By which a post that this person alone sees is taken away, for half an hour; else empty."""


_PAYLOAD: TypeAdapter[Payload] = TypeAdapter(Annotated[Payload, Field(discriminator="kind")])


def decode(name: str, value: str) -> Payload | None:
    """The payload of an action id or callback id; None for what this version does not know."""
    try:
        fields = from_json(value or "{}")
        return _PAYLOAD.validate_python({**fields, "kind": _NUMBER.sub("", name)})
    except (TypeError, ValueError):
        return None


def button(
    label: str,
    payload: Payload,
    style: str = "",
    *,
    number: int | None = None,
) -> JsonObject:
    """A button; those of one kind in one row are numbered.

    `style` is `primary`, `danger` or nothing.
    """
    element: JsonObject = {
        "type": "button",
        "action_id": payload.kind if number is None else f"{payload.kind}.{number}",
        "text": plain_text(label),
        "value": payload.encoded(),
    }
    if style:
        element["style"] = style
    return element


def without_button(post: JsonObject, payload: Payload) -> list[JsonObject]:
    """The blocks of a post without the button of this payload, and without a row left empty."""
    value = payload.encoded()
    blocks: list[JsonObject] = []
    for block in objects_in(post, "blocks"):
        elements = objects_in(block, "elements")
        left = [each for each in elements if each.get("value") != value]
        if left or not elements:
            blocks.append({**block, "elements": left} if elements else block)
    return blocks


def menu(
    placeholder: str, options: Sequence[tuple[str, Payload]], chosen: Payload | None = None
) -> JsonObject:
    """A menu of labels with their payloads, which are of one kind."""
    made = [_option(label, payload) for label, payload in options]
    element: JsonObject = {
        "type": "static_select",
        "action_id": options[0][1].kind,
        "options": made,
        "placeholder": plain_text(placeholder),
    }
    for option, (_, payload) in zip(made, options, strict=True):
        if payload == chosen:
            element["initial_option"] = option
    return element


def dots_menu(options: Sequence[tuple[str, Payload]]) -> JsonObject:
    """A menu behind three dots, with as many options as fit."""
    made = [_option(label, payload) for label, payload in options]
    fitting = [option for option in made if len(option["value"]) <= limits.OPTION_VALUE_CHARS]
    return {
        "type": "overflow",
        "action_id": options[0][1].kind,
        "options": fitting[: limits.MENU_OPTIONS],
    }


def form(
    payload: Payload,
    title: str,
    submit: str,
    close: str,
    fields: Sequence[JsonObject],
) -> JsonObject:
    """A form in a window of its own."""
    return {
        "type": "modal",
        "callback_id": payload.kind,
        "title": plain_text(title, limits.TITLE_CHARS),
        "submit": plain_text(submit, limits.TITLE_CHARS),
        "close": plain_text(close, limits.TITLE_CHARS),
        "private_metadata": payload.encoded(),
        "blocks": list(fields),
    }


def _option(label: str, payload: Payload) -> JsonObject:
    return {"text": plain_text(label), "value": payload.encoded()}
