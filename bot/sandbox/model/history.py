"""The rules on `messages`: roles, content, and the pairing of tool calls with their results."""

import re
from dataclasses import dataclass
from itertools import pairwise

from bot.sandbox.model.errors import RefusedError
from bot.sandbox.model.thinking import is_bound_to, is_unchanged, prefix_digest
from bot.sandbox.model.wire import Json, as_list, as_object, as_text, blocks_of

USER_BLOCKS = frozenset(
    [
        "text",
        "image",
        "document",
        "tool_result",
        "search_result",
        "container_upload",
    ]
)
ASSISTANT_BLOCKS = frozenset(
    [
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "server_tool_use",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
        "container_upload",
        "mcp_tool_use",
        "mcp_tool_result",
        "compaction",
        "fallback",
    ]
)
RESULT_BLOCKS = frozenset(["text", "image", "document", "search_result", "tool_reference"])
ID = re.compile(r"^[a-zA-Z0-9_-]+$")
TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,200}$")
NO_PREFILL = (
    "This model does not support assistant message prefill. "
    "The conversation must end with a user message."
)
EMPTY = "all messages must have non-empty content except for the optional final assistant message"
CHANGED = (
    "messages.{m}.content.{b}: `thinking` or `redacted_thinking` blocks in the latest assistant "
    "message cannot be modified. These blocks must remain as they were in the original response."
)
UNBOUND = (
    "messages.{m}.content.{b}: Invalid `signature` in `thinking` block. The block is bound to a "
    "different conversation. Remove the block, or set "
    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One or more messages of the same role in a row, which the API reads as one."""

    role: str
    first: int
    """The index of the first of the messages."""
    blocks: list[Json]

    def of_type(self, kind: str) -> list[Json]:
        return [block for block in self.blocks if block.get("type") == kind]


def check_messages(body: Json, *, bind_thinking: bool) -> None:
    """Raise `RefusedError` for the first rule that the messages break."""
    messages = [as_object(message) for message in as_list(body["messages"])]
    for place, message in enumerate(messages):
        _check_role(place, messages)
        _check_content(place, message, is_last=place == len(messages) - 1)
    turns = merge([m for m in messages if m["role"] != "system"])
    if turns[0].role != "user":
        raise RefusedError('messages: first message must use the "user" role')
    if turns[-1].role == "assistant" and "-5-5" in as_text(body["model"]):
        raise RefusedError(NO_PREFILL)
    check_pairing(turns)
    _check_thinking_blocks(body, messages, bind=bind_thinking)


def merge(messages: list[Json]) -> list[Turn]:
    """The messages with neighbours of the same role joined."""
    turns: list[Turn] = []
    for place, message in enumerate(messages):
        blocks = blocks_of(message["content"])
        if turns and turns[-1].role == message["role"]:
            turns[-1].blocks.extend(blocks)
        else:
            turns.append(Turn(role=message["role"], first=place, blocks=list(blocks)))
    return turns


def check_pairing(turns: list[Turn]) -> None:
    """Every tool call has one result in the next message, and every result has its call."""
    _check_unique_ids(turns)
    for turn, following in pairwise([*turns, Turn(role="user", first=-1, blocks=[])]):
        if turn.role == "assistant":
            _check_answered(turn, following)
    for before, turn in pairwise([Turn(role="assistant", first=-1, blocks=[]), *turns]):
        if turn.role == "user":
            _check_expected(before, turn)


def _check_role(place: int, messages: list[Json]) -> None:
    role = messages[place].get("role")
    if role not in ("user", "assistant", "system"):
        raise RefusedError(f"messages.{place}.role: Input should be 'user' or 'assistant'")
    if role != "system":
        return
    after_user = place > 0 and messages[place - 1].get("role") == "user"
    before_assistant = place + 1 == len(messages) or messages[place + 1].get("role") == "assistant"
    kinds = {block.get("type") for block in blocks_of(messages[place].get("content"))}
    if not (after_user and before_assistant and kinds <= {"text"}):
        raise RefusedError("role 'system' is not supported on this model")


def _check_content(place: int, message: Json, *, is_last: bool) -> None:
    content = message.get("content")
    if not isinstance(content, str | list):
        raise RefusedError(f"messages.{place}.content: Input should be a valid string or list")
    if not content and not (is_last and message["role"] == "assistant"):
        raise RefusedError(f"messages.{place}: {EMPTY}")
    allowed = ASSISTANT_BLOCKS if message["role"] == "assistant" else USER_BLOCKS
    for index, block in enumerate(blocks_of(message["content"])):
        where = f"messages.{place}.content.{index}"
        kind = as_text(block.get("type"))
        if kind not in allowed:
            raise RefusedError(
                f"{where}: Input tag '{kind}' found using 'type' is not allowed here"
            )
        _check_block(where, kind, block)


def _check_block(where: str, kind: str, block: Json) -> None:
    match kind:
        case "text":
            _check_text(block)
        case "tool_use":
            _check_tool_use(where, block)
        case "tool_result":
            _check_tool_result(where, block)
        case _:
            return


def _check_text(block: Json) -> None:
    text = as_text(block.get("text"))
    if not text:
        raise RefusedError("messages: text content blocks must be non-empty")
    if not text.strip():
        raise RefusedError("messages: text content blocks must contain non-whitespace text")


def _check_tool_use(where: str, block: Json) -> None:
    if not ID.match(as_text(block.get("id"))):
        raise RefusedError(f"{where}.tool_use.id: String should match pattern '{ID.pattern}'")
    if not TOOL_NAME.match(as_text(block.get("name"))):
        raise RefusedError(
            f"{where}.tool_use.name: String should match pattern '{TOOL_NAME.pattern}'"
        )
    if not isinstance(block.get("input"), dict):
        raise RefusedError(f"{where}.tool_use.input: Input should be a valid dictionary")


def _check_tool_result(where: str, block: Json) -> None:
    if not as_text(block.get("tool_use_id")):
        raise RefusedError(f"{where}.tool_result.tool_use_id: Field required")
    for inner in blocks_of(block.get("content")) if block.get("content") else []:
        kind = as_text(inner.get("type"))
        if kind not in RESULT_BLOCKS:
            raise RefusedError(
                f"{where}.tool_result.content: Input tag '{kind}' is not allowed here"
            )
        if kind == "text" and not as_text(inner.get("text")):
            raise RefusedError("messages: text content blocks must be non-empty")


def _check_unique_ids(turns: list[Turn]) -> None:
    ids = [block["id"] for turn in turns for block in turn.of_type("tool_use")]
    if len(ids) != len(set(ids)):
        raise RefusedError("messages: `tool_use` ids must be unique")


def _check_answered(turn: Turn, following: Turn) -> None:
    leading = _leading_results(following)
    missing = [b["id"] for b in turn.of_type("tool_use") if b["id"] not in leading]
    uses = [i for i, b in enumerate(turn.blocks) if b.get("type") == "tool_use"]
    text_after = uses and any(b.get("type") == "text" for b in turn.blocks[uses[-1] :])
    if text_after and not missing:
        missing = [turn.blocks[uses[-1]]["id"]]
    if missing:
        raise RefusedError(
            f"messages.{turn.first}: `tool_use` ids were found without `tool_result` blocks "
            f"immediately after: {', '.join(missing)}. Each `tool_use` block must have a "
            "corresponding `tool_result` block in the next message."
        )


def _leading_results(turn: Turn) -> list[str]:
    """The ids answered before any other content; what comes later does not count."""
    ids: list[str] = []
    for block in turn.blocks:
        if block.get("type") != "tool_result":
            break
        ids.append(block["tool_use_id"])
    return ids


def _check_expected(before: Turn, turn: Turn) -> None:
    expected = {block["id"] for block in before.of_type("tool_use")}
    seen: set[str] = set()
    for index, block in enumerate(turn.blocks):
        if block.get("type") != "tool_result":
            continue
        key = block["tool_use_id"]
        if key not in expected:
            raise RefusedError(
                f"messages.{turn.first}.content.{index}: unexpected `tool_use_id` found in "
                f"`tool_result` blocks: {key}. Each `tool_result` block must have a corresponding "
                "`tool_use` block in the previous message."
            )
        if key in seen:
            raise RefusedError(
                f"messages.{turn.first}.content.{index}: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {key}"
            )
        seen.add(key)


def _check_thinking_blocks(body: Json, messages: list[Json], *, bind: bool) -> None:
    for place, message in enumerate(messages):
        for index, block in enumerate(blocks_of(message["content"])):
            if block.get("type") != "thinking":
                continue
            if not is_unchanged(block):
                raise RefusedError(CHANGED.format(m=place, b=index))
            if bind and not is_bound_to(block, prefix_digest(body, place)):
                raise RefusedError(UNBOUND.format(m=place, b=index))
