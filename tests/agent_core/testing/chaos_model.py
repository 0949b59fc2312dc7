"""ChaosModel: legal but arbitrary answers from a seed, to find what a turn cannot take."""

import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from random import Random

from agent_core.errors import ModelRejected, ModelUnavailable, ReplyTruncated, RequestTooLarge
from agent_core.models import Delta, ModelRequest, Reply
from agent_core.testing.models import Cut, Line, ScriptedModel
from tests.agent_core.testing.chaos_replies import calling_reply, silent_reply, spoken_reply
from tests.agent_core.testing.chaos_texts import drawn_words

Draw = Callable[[Random, ModelRequest], Line]
"""Makes one answer to a request, from nothing but its two arguments."""

CANARY = "chaos-canary"
"""In the words of every failure: a person must never read it."""

_RETRY_AFTER_S = (None, 0.0, 2.5, 90.0)
_LONGEST_RETRY_AFTER_S = 3_600.0
_HOPELESS = {"authentication_error": 401, "billing_error": 402, "invalid_request_error": 400}


class ChaosModel:
    """A model whose answers are legal and otherwise left to chance.

    An answer depends on the seed, on what is asked (the system prompt apart) and on how often the
    same was asked before: calls may run at the same time without changing each other's answers.
    Failures come one call at a time, so asking again gets there.

    Args:
        seed: The same seed answers the same requests alike.
        draw: Makes the answers; any legal one unless it is given.
    """

    def __init__(self, seed: int, *, draw: Draw | None = None) -> None:
        self._seed = seed
        self._draw = draw or any_line
        self._asked: Counter[str] = Counter()
        self.aborted = 0
        """How many calls were closed or cancelled before their reply."""

    @property
    def name(self) -> str:
        return f"chaos-{self._seed}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta | Reply, None]:
        """As `Model.stream`."""
        speaker = ScriptedModel([self._draw(self._chance(request), request)])
        try:
            async with aclosing(speaker.stream(request)) as items:
                async for item in items:
                    yield item
        finally:
            self.aborted += speaker.aborted

    def _chance(self, request: ModelRequest) -> Random:
        names = [tool.name for tool in request.tools]
        asked = f"{names!r}{request.may_call_tools}{request.messages!r}"
        digest = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()
        self._asked[digest] += 1
        return Random(f"{self._seed}/{digest}/{self._asked[digest]}")  # noqa: S311 (not for secrets)


def any_line(random: Random, request: ModelRequest) -> Line:
    """Any legal answer; tool calls only where the request allows them."""
    draws = dict(_WITHOUT_CALLS)
    if request.may_call_tools and request.tools:
        draws |= _WITH_CALLS
    [draw] = random.choices(tuple(draws), weights=tuple(draws.values()))
    return draw(random, request)


def _answer(random: Random, _request: ModelRequest) -> Line:
    return spoken_reply(random, "end_turn")


def _cut_answer(random: Random, _request: ModelRequest) -> Line:
    draw = random.choice((spoken_reply, spoken_reply, silent_reply))
    return draw(
        random, random.choice(("max_tokens", "max_tokens", "model_context_window_exceeded"))
    )


def _refusal(random: Random, _request: ModelRequest) -> Line:
    return random.choice((spoken_reply, silent_reply))(random, "refusal")


def _pause(random: Random, _request: ModelRequest) -> Line:
    return random.choice((spoken_reply, silent_reply))(random, "pause_turn")


def _silence(random: Random, _request: ModelRequest) -> Line:
    return silent_reply(random, "end_turn")


def _odd_stop(random: Random, _request: ModelRequest) -> Line:
    stop_reason = random.choice(("stop_sequence", "a_reason_of_next_year"))
    return random.choice((spoken_reply, silent_reply))(random, stop_reason)


def _failure_in_passing(random: Random, _request: ModelRequest) -> Line:
    kind, status = random.choice(
        (("overloaded_error", 529), ("api_error", 500), ("rate_limit_error", 429))
    )
    wish_s = random.choice(_RETRY_AFTER_S) if random.random() < 19 / 20 else _LONGEST_RETRY_AFTER_S
    return ModelUnavailable(CANARY, kind=kind, status=status, retry_after_s=wish_s)


def _break_in_mid_stream(random: Random, _request: ModelRequest) -> Line:
    kind = random.choice(("incomplete", "connection", "overloaded_error", "malformed"))
    return Cut(text=drawn_words(random), error=ModelUnavailable(CANARY, kind=kind))


def _failure_for_good(random: Random, _request: ModelRequest) -> Line:
    if random.random() < 1 / 2:
        return RequestTooLarge(CANARY, status=400, kind="invalid_request_error")
    kind, status = random.choice(tuple(_HOPELESS.items()))
    return ModelRejected(CANARY, status=status, kind=kind)


def _calls(random: Random, request: ModelRequest) -> Line:
    return calling_reply(random, request)


def _cut_call(random: Random, _request: ModelRequest) -> Line:
    return Cut(text=drawn_words(random), error=ReplyTruncated(CANARY, kind="max_tokens"))


_WITHOUT_CALLS: dict[Draw, int] = {
    _answer: 36,
    _cut_answer: 5,
    _refusal: 2,
    _pause: 3,
    _silence: 4,
    _odd_stop: 2,
    _failure_in_passing: 8,
    _break_in_mid_stream: 5,
    _failure_for_good: 1,
}
_WITH_CALLS: dict[Draw, int] = {_calls: 90, _cut_call: 3}
"""The numbers are weights: a run makes two or three steps before it ends."""
