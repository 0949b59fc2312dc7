"""One call over the wire: arguments out, a checked answer or a typed error back."""

import asyncio
import json
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient

from agent_core.fault_points import fault_point
from agent_core.messages import JsonObject
from bot.slack_api.errors import SlackError, SlackLimited, SlackUnavailable, refusal
from bot.slack_api.scopes import JSON_METHODS, Method

CALL_LIMIT_S = 10.0
DEFAULT_RETRY_AFTER_S = 30.0

_FAULT_POINTS: Mapping[str, str] = {
    "chat.postMessage": "post",
    "chat.update": "edit",
    "files.getUploadURLExternal": "upload_url",
    "files.completeUploadExternal": "upload_complete",
}


def web_client(
    token: str | None, *, base_url: str, session: aiohttp.ClientSession | None = None
) -> AsyncWebClient:
    """A client that never repeats a call by itself: its default retry posts twice.

    It takes the proxy of the environment, which says nothing of hosts to go to directly, so calls
    to this machine leave it out.
    """
    client = AsyncWebClient(
        token=token,
        base_url=base_url,
        session=session,
        retry_handlers=[],
        timeout=int(CALL_LIMIT_S),
    )
    if _is_this_machine(base_url):
        client.proxy = None
    return client


def _is_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class Wire:
    """Makes each call once, within the time limit."""

    def __init__(self, client: AsyncWebClient, *, limit_s: float = CALL_LIMIT_S) -> None:
        self.client = client
        self.limit_s = limit_s

    async def call(self, method: Method, arguments: Mapping[str, Any]) -> JsonObject:
        """The answer to one call.

        Raises:
            SlackError: Of the kind that `bot.slack_api.errors` describes.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        place = _FAULT_POINTS.get(method, method)
        fault_point(f"{place}.before")
        try:
            async with asyncio.timeout(self.limit_s):
                answer = await self._send(method, given)
        except SlackApiError as error:
            raise _typed(method, error) from error
        except (TimeoutError, aiohttp.ClientError, SlackRequestError, OSError, ValueError) as error:
            raise SlackUnavailable(method, detail=type(error).__name__) from error
        fault_point(f"{place}.after")
        return answer

    async def _send(self, method: Method, arguments: JsonObject) -> JsonObject:
        client: Any = self.client  # its methods are not fully typed
        if method in JSON_METHODS:
            answer = await client.api_call(method, json=arguments)
        else:
            answer = await client.api_call(method, data=_form(arguments))
        return cast("JsonObject", answer.data)


def _form(arguments: JsonObject) -> dict[str, str]:
    return {name: _field(value) for name, value in arguments.items()}


def _field(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def _typed(method: str, error: SlackApiError) -> SlackError:
    response: Any = error.response
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)
    if status == 429:
        return SlackLimited(method, retry_after_s=_retry_after_s(response))
    body: Any = getattr(response, "data", None)
    if status != 200 or not isinstance(body, dict):
        return SlackUnavailable(method, detail=f"status {status}")
    answer = cast("JsonObject", body)
    return refusal(method, str(answer.get("error", "")), needed=str(answer.get("needed", "")))


def _retry_after_s(response: object) -> float:
    headers = cast("Mapping[str, str]", getattr(response, "headers", {}))
    value = next((headers[name] for name in headers if name.lower() == "retry-after"), "")
    return max(1.0, float(value)) if value.isdigit() else DEFAULT_RETRY_AFTER_S
