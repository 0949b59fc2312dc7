"""What lies elsewhere: Slack, the models and Composio; one tiny call of each, and what it means."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import cast
from urllib.parse import urlsplit

import aiohttp

from agent_core.errors import (
    ComposioRefusedError,
    ModelError,
    ModelRejected,
    ModelUnavailable,
    ToolServerError,
)
from agent_core.operator import ask_model, list_composio_tools
from agent_core.settings import CoreSettings
from bot.operator import Check, Finding, as_sentence, fine, warning, wrong
from bot.settings import HOW_TO_GET, MODEL_KEYS, BotSettings
from bot.slack_api import (
    LIMITED_BACKOFF,
    AsyncWebClient,
    MonotonicClock,
    SlackApi,
    SlackAuthRefused,
    SlackError,
    SlackLimited,
    SlackUnavailable,
    web_client,
)
from bot.slack_api.calls import TABLE
from bot.socket import Timing, open_connection, trouble_of_error

AGENT_VIEW = "assistant:write"
"""Comes with the manifest's agent view. Without it the bot works in channels all the same."""

_ACCESS = (*MODEL_KEYS, "ANTHROPIC_BASE_URL", "ANTHROPIC_VERSION")
_COMPOSIO_KEY = HOW_TO_GET["COMPOSIO_API_KEY"]
_NO_CREDIT = 402
_TOO_MANY = 429
_OF_MODELS = {
    401: f"does not accept the key; get one at {HOW_TO_GET[MODEL_KEYS[0]]}.",
    _NO_CREDIT: "says that the account has no credit left or has reached its limit; add some, or "
    "set another key.",
    403: "does not let this key use the model; set another key, or {setting} to another model.",
    404: "does not know this model; set {setting} to one that it has.",
}
_OF_COMPOSIO = {
    401: f"does not accept COMPOSIO_API_KEY; get one at {_COMPOSIO_KEY}.",
    _NO_CREDIT: "says that the project has no credit left; add some, or set another key.",
    403: f"does not let COMPOSIO_API_KEY open a session; get another at {_COMPOSIO_KEY}.",
}
"""By status the rest of a sentence: what is wrong with our request and what to do."""


def service_checks(core: CoreSettings) -> list[Check]:
    """The main model, the classifier's model, and Composio."""
    return [
        _model_check("Main model", core, "AGENT_MODEL"),
        _model_check("Classifier model", core, "CLASSIFIER_MODEL"),
        Check(
            title="Composio",
            look=partial(_look_at_composio, core),
            needs=("COMPOSIO_API_KEY", "COMPOSIO_BASE_URL"),
        ),
    ]


def _model_check(title: str, core: CoreSettings, setting: str) -> Check:
    look = partial(_look_at_model, core, setting)
    return Check(title=title, look=look, needs=(*_ACCESS, setting))


def _explain_status(
    who: str, address: str, meanings: Mapping[int, str], status: int, quote: str
) -> Finding:
    """What passes is a warning; what does not is wrong, with what to do about it."""
    check_address = f"see that {address}, if it is set, is right."
    if status in {_TOO_MANY, 529}:
        return warning(f"{who} is busy or limits us ({status}); try again later.", quote)
    if status in {408, 409, 425, 499} or status >= 500:
        return warning(f"{who} has a fault of its own ({status}); try again later.", quote)
    if meaning := meanings.get(status):
        return wrong(f"{who} {meaning}", "" if status == 401 else quote)  # where keys are repeated
    if status < 400:
        return wrong(f"{who} answers, but not as it should; {check_address}", quote)
    return wrong(f"{who} refuses the request ({status}); {check_address}", quote)


def _words_in(body: object) -> str:
    """The message in the body of a refusal; no markup, no data."""
    for name in ("error", "message"):
        if isinstance(body, dict):
            fields = cast("dict[str, object]", body)
            body = fields.get(name, fields)
    return body if isinstance(body, str) and not body.lstrip().startswith("<") else ""


async def _look_at_model(core: CoreSettings, setting: str) -> Finding:
    model: str = getattr(core, setting.lower())
    if not (core.anthropic_api_key.get_secret_value() or core.bearer):
        return wrong(f"{MODEL_KEYS[0]} is not set: {HOW_TO_GET[MODEL_KEYS[0]]}.")
    try:
        await ask_model(core, model)
    except ModelError as error:
        return _explain_model(error, model, setting)
    address = f" at {urlsplit(core.model_base_url).netloc}" if core.model_base_url else ""
    return fine(f"{model}{address} answered.")


def _explain_model(error: ModelError, model: str, setting: str) -> Finding:
    """A limit that does not pass by itself is one of spending."""
    is_spent = isinstance(error, ModelRejected) and error.status == _TOO_MANY
    if (status := _NO_CREDIT if is_spent else error.status) is not None:
        who = f"{model}: the provider"
        meanings = {each: text.format(setting=setting) for each, text in _OF_MODELS.items()}
        quote = _words_in(getattr(error.__cause__, "body", None)) or error.kind or ""
        return _explain_status(who, "ANTHROPIC_BASE_URL", meanings, status, quote)
    if not isinstance(error, ModelUnavailable):
        return wrong(f"{model}: {as_sentence(error)}")
    is_away = error.kind == "connection"
    fault = "the provider cannot be reached;" if is_away else f"{as_sentence(error)} To mend it,"
    return wrong(
        f"{model}: {fault} see that this machine reaches the provider and that ANTHROPIC_BASE_URL, "
        "if it is set, is right."
    )


async def _look_at_composio(core: CoreSettings) -> Finding:
    without = "there is no search and there are no app tools"
    if not core.composio_api_key.get_secret_value():
        return warning(
            "COMPOSIO_API_KEY is not set, so there are no app tools and the web is searched as "
            f"SEARCH_BACKEND says; get one at {_COMPOSIO_KEY}."
        )
    try:
        tools = await list_composio_tools(core)
    except ToolServerError as error:
        finding = _explain_composio(error)
        return replace(finding, text=f"{finding.text} Until then {without}.")
    if not tools:
        return warning("a session has no tools; see the project's settings at Composio.")
    return fine(f"a session lists {len(tools)} tools.")


def _explain_composio(error: ToolServerError) -> Finding:
    address = "COMPOSIO_BASE_URL"
    if isinstance(error, ComposioRefusedError):
        quote = _words_in(error.body)
        return _explain_status("Composio", address, _OF_COMPOSIO, error.status, quote)
    return wrong(
        f"{as_sentence(error)} See that this machine reaches Composio and that {address}, if it "
        "is set, is right."
    )


def slack_checks(settings: BotSettings) -> list[Check]:
    """The bot token with its scopes, and Socket Mode with the app token."""
    look_at_scopes = partial(_try, "SLACK_BOT_TOKEN", settings, _look_at_scopes)
    look_at_socket = partial(_try, "SLACK_APP_TOKEN", settings, _look_at_socket)
    return [
        Check(
            title="Slack bot token",
            look=look_at_scopes,
            needs=("SLACK_BOT_TOKEN", "SLACK_API_URL"),
        ),
        Check(
            title="Slack Socket Mode",
            look=look_at_socket,
            needs=("SLACK_APP_TOKEN", "SLACK_API_URL"),
        ),
    ]


async def _try(
    name: str, settings: BotSettings, look: Callable[[AsyncWebClient], Awaitable[Finding]]
) -> Finding:
    token: str = getattr(settings, name.lower()).get_secret_value()
    if not token:
        return wrong(f"{name} is not set: {HOW_TO_GET[name]}.")
    try:
        async with aiohttp.ClientSession() as session:
            return await look(web_client(token, base_url=settings.slack_api_url, session=session))
    except SlackAuthRefused as error:
        return wrong(f"Slack refuses {name} ({error.code}): {HOW_TO_GET[name]}.")
    except SlackLimited as error:
        wait_s = f"{error.retry_after_s or LIMITED_BACKOFF.longest_s:.0f}"
        return warning(f"Slack asks for a pause; check again in {wait_s} seconds.")
    except SlackUnavailable as error:
        return wrong(
            f"Slack does not answer at {settings.slack_api_url} ({error}); see that this machine "
            "reaches it and that SLACK_API_URL is right."
        )
    except SlackError as error:
        return wrong(f"{trouble_of_error(error).words}.")


async def _look_at_scopes(client: AsyncWebClient) -> Finding:
    token = await SlackApi(client).token()
    who = f"{token.bot} in the team {token.team}"
    if token.scopes is None:
        return warning(f"{who}, but Slack did not say which scopes it has; try it with a mention.")
    if lacking := sorted(TABLE.scopes - token.scopes):
        several = "s" if len(lacking) > 1 else ""
        return wrong(
            f"{who} lacks the scope{several} {', '.join(lacking)}; add what manifest.yml lists "
            "under “OAuth & Permissions”, reinstall the app, and copy the token anew."
        )
    if AGENT_VIEW not in token.scopes:
        return warning(
            f"{who} lacks the scope {AGENT_VIEW}, so it has no agent view; update the app from "
            "manifest.yml and reinstall it."
        )
    return fine(f"{who}, with all {len(TABLE.scopes) + 1} scopes.")


async def _look_at_socket(client: AsyncWebClient) -> Finding:
    async def leave(_: object) -> None:
        """A payload that Slack happens to send is not acknowledged: it comes again elsewhere."""

    connection = await open_connection(
        client.token or "", client, leave, clock=MonotonicClock(), timing=Timing()
    )
    await connection.retire()
    return fine("a socket opened and greeted us.")
