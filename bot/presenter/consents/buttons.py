"""The buttons and the form of approvals and connections; what they carry, and what it means. Pure.

A button carries the id of what is decided, and of a connection its apps; nothing else.
"""

from agent_core.ids import ConsentId
from agent_core.messages import JsonObject
from bot.presenter.consents.words import Button, Words

PREFIX = "consent."
"""Of the names of all buttons and forms about approvals and connections."""
OPEN = "open"
REASON_CHARS = 1_000
LABEL_CHARS = 75

_STYLES: dict[Button, str] = {"approve": "primary", "reject": "danger", "link": "primary"}


def buttons(names: tuple[Button, ...], words: Words, value: str) -> JsonObject:
    """A row of buttons that carry the same value."""
    return {"type": "actions", "elements": [_button(name, words, value) for name in names]}


def link_button(number: int, label: str, url: str) -> JsonObject:
    """A button that opens an address; pressing it tells the bot nothing that it needs."""
    return {
        "type": "button",
        "action_id": f"{PREFIX}{OPEN}.{number}",
        "text": plain_text(label),
        "url": url,
        "style": "primary",
    }


def connection_value(consent: ConsentId, toolkits: tuple[str, ...]) -> str:
    """What the buttons of a connection carry; `read_value` reads it."""
    return f"{consent} {','.join(toolkits)}"


def read_value(value: str) -> tuple[ConsentId, tuple[str, ...]]:
    """The id and the apps; an approval's value has no apps."""
    consent, _, toolkits = value.partition(" ")
    return ConsentId(consent), tuple(filter(None, toolkits.split(",")))


def reason_form(consent: ConsentId, words: Words, *, language: str, place: str) -> JsonObject:
    """A modal for the reason of a rejection.

    Args:
        consent: What is rejected.
        words: Of the labels.
        language: Of what is said to the person afterwards.
        place: The thread where it was pressed, as a session's id.
    """
    return {
        "type": "modal",
        "callback_id": f"{PREFIX}reason",
        "private_metadata": f"{consent} {language} {place}",
        "title": plain_text(words.reason_title, 24),
        "submit": plain_text(words.reason_title, 24),
        "close": plain_text(words.cancel, 24),
        "blocks": [
            {
                "type": "input",
                "block_id": "reason",
                "optional": True,
                "label": plain_text(words.reason_label),
                "hint": plain_text(words.reason_hint),
                "element": {
                    "type": "plain_text_input",
                    "action_id": "reason",
                    "multiline": True,
                    "max_length": REASON_CHARS,
                },
            }
        ],
    }


def plain_text(text: str, max_chars: int = LABEL_CHARS) -> JsonObject:
    """A label, in which nothing is parsed."""
    return {"type": "plain_text", "text": text[:max_chars], "emoji": False}


def _button(name: Button, words: Words, value: str) -> JsonObject:
    style = {"style": _STYLES[name]} if name in _STYLES else {}
    return {
        "type": "button",
        "action_id": f"{PREFIX}{name}",
        "text": plain_text(words.buttons[name]),
        "value": value,
        **style,
    }
