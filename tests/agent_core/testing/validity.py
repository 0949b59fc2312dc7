"""What a request to a model must be like, stated without a line of the product's own repair.

The rules are those of the Messages API, as the sandbox's model stand-in has them.
"""

import json
from itertools import pairwise
from typing import Any

from agent_core.messages import JsonObject
from agent_core.models import ModelRequest
from agent_core.models.anthropic_messages import request_body
from tests.scripted_stand_in import RefusedError, validate


def faults_of(request: ModelRequest) -> list[str]:
    """Every rule that the request breaks, in words; empty when it is valid."""
    roles = [message.role for message in request.messages]
    is_turned = all(before != after for before, after in pairwise(roles))
    found = [] if is_turned else ["two neighbours have the same role"]
    body = request_body("claude-sonnet-5-5", request)
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        validate(_without_signatures(body))
    except (RefusedError, ValueError) as error:
        found.append(f"the stand-in says: {error}")
    return found


def _without_signatures(body: JsonObject) -> JsonObject:
    """The stand-in takes only thinking that it signed itself; what is redacted it cannot check."""
    messages: list[JsonObject] = []
    for message in body["messages"]:
        blocks: list[Any] = [
            {"type": "redacted_thinking", "data": "x"} if block["type"] == "thinking" else block
            for block in message["content"]
        ]
        messages.append({**message, "content": blocks})
    return {**body, "messages": messages}
