"""Faults on order: the next calls of a method fail in the way a test asked for."""

from dataclasses import dataclass, replace

ANY_METHOD = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """How a call fails.

    `hang_s` delays the call; `drop_after_accept` does the work and cuts the connection.
    """

    times: int = 1
    status: int = 200
    error: str | None = None
    retry_after_s: int | None = None
    drop_after_accept: bool = False
    html: bool = False
    hang_s: float = 0.0

    @property
    def is_answer(self) -> bool:
        """Whether the fault is an answer in the place of the method's own."""
        return self.error is not None or self.status != 200 or self.html

    @property
    def error_code(self) -> str:
        if self.error is not None:
            return self.error
        return "ratelimited" if self.status == 429 else "internal_error"


class Faults:
    def __init__(self) -> None:
        self._queues: dict[str, list[Fault]] = {}

    def add(self, method: str, fault: Fault) -> None:
        self._queues.setdefault(method, []).append(fault)

    def next_for(self, method: str) -> Fault | None:
        """The fault for this call, one of its times used up."""
        for name in (method, ANY_METHOD):
            if queue := self._queues.get(name):
                fault = queue[0]
                queue[:1] = [replace(fault, times=fault.times - 1)] if fault.times > 1 else []
                return fault
        return None

    def clear(self) -> None:
        self._queues.clear()
