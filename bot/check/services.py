"""The models and Composio: one tiny call of each."""

from dataclasses import replace
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
from bot.check.findings import Check, Verdict, as_sentence, fine, warning, wrong
from bot.check.outages import Service, explain_status, words_in
from bot.settings import HOW_TO_GET, MODEL_KEYS

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
