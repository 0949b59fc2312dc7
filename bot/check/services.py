"""The models and Composio: one tiny call of each, and what a refusal of it means."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import urlsplit

from agent_core.errors import (
    ComposioRefusedError,
    ModelError,
    ModelRejected,
    ModelUnavailable,
    ToolServerError,
)
from agent_core.runtime.operate import ask_model, list_composio_tools
from agent_core.settings import CoreSettings
from bot.check.checks import Check, Verdict, as_sentence, fine, warning, wrong
from bot.settings import HOW_TO_GET, MODEL_KEYS

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


_ACCESS = (*MODEL_KEYS, "ANTHROPIC_BASE_URL", "ANTHROPIC_VERSION")
_NO_CREDIT = 402
_TOO_MANY = 429
_OF_MODELS = {
    401: f"does not accept the key; get one at {HOW_TO_GET[MODEL_KEYS[0]]}.",
    _NO_CREDIT: "says that the account has no credit left or has reached its limit; add some, or "
    "set another key.",
    403: "does not let this key use the model; set another key, or {setting} to another model.",
    404: "does not know this model; set {setting} to one that it has.",
}
_COMPOSIO_KEY = HOW_TO_GET["COMPOSIO_API_KEY"]
_COMPOSIO = Service(
    name="Composio",
    address="COMPOSIO_BASE_URL",
    meanings={
        401: f"does not accept COMPOSIO_API_KEY; get one at {_COMPOSIO_KEY}.",
        _NO_CREDIT: "says that the project has no credit left; add some, or set another key.",
        403: f"does not let COMPOSIO_API_KEY open a session; get another at {_COMPOSIO_KEY}.",
    },
)


def service_checks(core: CoreSettings) -> list[Check]:
    """The main model, the classifier's model, and Composio."""
    return [
        Check(
            title="Main model",
            look=lambda: _look_at_model(core, core.agent_model, "AGENT_MODEL"),
            needs=(*_ACCESS, "AGENT_MODEL"),
        ),
        Check(
            title="Classifier model",
            look=lambda: _look_at_model(core, core.classifier_model, "CLASSIFIER_MODEL"),
            needs=(*_ACCESS, "CLASSIFIER_MODEL"),
        ),
        Check(
            title="Composio",
            look=lambda: _look_at_composio(core),
            needs=("COMPOSIO_API_KEY", "COMPOSIO_BASE_URL"),
        ),
    ]


async def _look_at_model(core: CoreSettings, model: str, setting: str) -> Verdict:
    if not (core.anthropic_api_key.get_secret_value() or core.bearer):
        return wrong(f"{MODEL_KEYS[0]} is not set: {HOW_TO_GET[MODEL_KEYS[0]]}.")
    try:
        await ask_model(core, model)
    except ModelError as error:
        return _explain(error, model, setting)
    place = f" at {urlsplit(core.model_base_url).netloc}" if core.model_base_url else ""
    return fine(f"{model}{place} answered.")


def _explain(error: ModelError, model: str, setting: str) -> Verdict:
    if (status := _status_of(error)) is not None:
        provider = Service(
            name=f"{model}: the provider",
            address="ANTHROPIC_BASE_URL",
            meanings={status: text.format(setting=setting) for status, text in _OF_MODELS.items()},
        )
        said = words_in(getattr(error.__cause__, "body", None))
        return explain_status(provider, status, said or error.kind or "")
    if not isinstance(error, ModelUnavailable):
        return wrong(f"{model}: {as_sentence(error)}")
    remedy = (
        "see that this machine reaches the provider and that ANTHROPIC_BASE_URL, if it is set, is "
        "right."
    )
    if error.kind == "connection":
        return wrong(f"{model}: the provider cannot be reached; {remedy}")
    return wrong(f"{model}: {as_sentence(error)} To mend it, {remedy}")


def _status_of(error: ModelError) -> int | None:
    """The status as what it means: a limit that does not pass by itself is one of spending."""
    is_spent = isinstance(error, ModelRejected) and error.status == _TOO_MANY
    return _NO_CREDIT if is_spent else error.status


async def _look_at_composio(core: CoreSettings) -> Verdict:
    if not core.composio_api_key.get_secret_value():
        return warning(
            "COMPOSIO_API_KEY is not set, so there is no search and there are no app tools; get "
            f"one at {_COMPOSIO_KEY}."
        )
    try:
        tools = await list_composio_tools(core)
    except ToolServerError as error:
        return _without_composio(_explain_composio(error))
    if not tools:
        return warning("a session has no tools; see the project's settings at Composio.")
    return fine(f"a session lists {len(tools)} tools.")


def _explain_composio(error: ToolServerError) -> Verdict:
    if isinstance(error, ComposioRefusedError):
        return explain_status(_COMPOSIO, error.status, words_in(error.body))
    return wrong(
        f"{as_sentence(error)} See that this machine reaches Composio and that COMPOSIO_BASE_URL, "
        "if it is set, is right."
    )


def _without_composio(verdict: Verdict) -> Verdict:
    text = f"{verdict.text} Until then there is no search and there are no app tools."
    return replace(verdict, text=text)
