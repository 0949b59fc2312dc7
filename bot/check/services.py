"""The models and Composio: one tiny call of each."""

from urllib.parse import urlsplit

from agent_core.errors import (
    AgentError,
    ModelError,
    ModelRejected,
    ModelUnavailable,
    ToolServerError,
)
from agent_core.runtime.checks import ask_model, list_composio_tools
from agent_core.settings import CoreSettings
from bot.check.findings import Check, Verdict, fine, warning, wrong
from bot.settings import HOW_TO_GET, MODEL_KEYS

_ACCESS = (*MODEL_KEYS, "ANTHROPIC_BASE_URL", "ANTHROPIC_VERSION")
_REFUSALS = {
    401: "the provider does not accept the key; get one at " + HOW_TO_GET[MODEL_KEYS[0]] + ".",
    402: "the account has no credit left; add some, or set another key.",
    403: "the key may not use this model; set another key, or {setting} to another model.",
    404: "the provider does not know this model; set {setting} to one that it has.",
}
_LIMITED = frozenset({429, 529})


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
    if error.status in _LIMITED:
        return warning(f"{model}: the provider is busy or limits us ({error.status}); try later.")
    if isinstance(error, ModelRejected) and error.status in _REFUSALS:
        return wrong(f"{model}: {_REFUSALS[error.status].format(setting=setting)}")
    if isinstance(error, ModelUnavailable):
        return wrong(
            f"{model}: {error} See that this machine reaches the provider and that "
            "ANTHROPIC_BASE_URL, if it is set, is right."
        )
    return wrong(f"{model}: {error}")


async def _look_at_composio(core: CoreSettings) -> Verdict:
    if not core.composio_api_key.get_secret_value():
        return warning(
            "COMPOSIO_API_KEY is not set, so there is no search and there are no app tools; get "
            f"one at {HOW_TO_GET['COMPOSIO_API_KEY']}."
        )
    try:
        tools = await list_composio_tools(core)
    except ToolServerError as error:
        return _composio_is_down(error)
    if not tools:
        return warning("a session has no tools; see the project's settings at Composio.")
    return fine(f"a session lists {len(tools)} tools.")


def _composio_is_down(error: AgentError) -> Verdict:
    return wrong(
        f"{error} Until COMPOSIO_API_KEY and COMPOSIO_BASE_URL are right there is no search and "
        "there are no app tools."
    )
