"""What the status of a failed request means, and what the service itself said of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from bot.check.findings import Verdict, warning, wrong

_LIMITED = frozenset({429, 529})
_PASSING = frozenset({408, 409, 425, 499})
_FIRST_ERROR = 400
_FIRST_SERVER_ERROR = 500
_KEY_REFUSED = 401


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Somebody who is asked over HTTP."""

    name: str
    """As a sentence begins with it."""
    address: str
    """The setting that says where it is."""
    meanings: Mapping[int, str]
    """By status the rest of the sentence: what is wrong with our request and what to do."""


def explain_status(service: Service, status: int, quote: str = "") -> Verdict:
    """What passes is a warning; what does not is wrong, with what to do about it."""
    who = service.name
    check_address = f"see that {service.address}, if it is set, is right."
    if status in _LIMITED:
        return warning(f"{who} is busy or limits us ({status}); try again later.", quote)
    if status in _PASSING or status >= _FIRST_SERVER_ERROR:
        return warning(f"{who} has a fault of its own ({status}); try again later.", quote)
    if meaning := service.meanings.get(status):
        said = "" if status == _KEY_REFUSED else quote  # where keys are repeated
        return wrong(f"{who} {meaning}", said)
    if status < _FIRST_ERROR:
        return wrong(f"{who} answers, but not as it should; {check_address}", quote)
    return wrong(f"{who} refuses the request ({status}); {check_address}", quote)


def words_in(body: object) -> str:
    """The message in the body of a refusal; no markup, no data."""
    message = _unwrap(_unwrap(body, "error"), "message")
    return message if isinstance(message, str) and not message.lstrip().startswith("<") else ""


def _unwrap(body: object, name: str) -> object:
    """An object's field of this name; whatever has none stays as it is."""
    if not isinstance(body, dict):
        return body
    fields = cast("dict[str, object]", body)
    return fields.get(name, fields)
