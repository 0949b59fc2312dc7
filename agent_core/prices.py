"""Prices of models: what a call's tokens cost, from a dated data file and the operator's own."""

import tomllib
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, ValidationError

from agent_core.errors import SettingsError
from agent_core.events import Usage

_SHIPPED = Path(__file__).with_name("prices.toml")
_A_MILLION = 1_000_000


class Price(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(extra="forbid")

    input: NonNegativeFloat
    cache_write: NonNegativeFloat
    cache_read: NonNegativeFloat
    output: NonNegativeFloat

    def cost(self, usage: Usage) -> float:
        dollars = usage.input_tokens * self.input
        dollars += usage.cache_write_tokens * self.cache_write
        dollars += usage.cache_read_tokens * self.cache_read
        dollars += usage.output_tokens * self.output
        return dollars / _A_MILLION


class _PriceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    as_of: date
    models: dict[str, Price]


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by the beginning of a model's name."""

    models: dict[str, Price]

    def priced(self, usage: Usage, model: str) -> Usage:
        """A call's usage with its cost, or marked as one without a known price."""
        price = self.of(model)
        if price is None:
            return replace(usage, unpriced_calls=1)
        return replace(usage, cost_usd=price.cost(usage))

    def of(self, model: str) -> Price | None:
        """The price of a model; None where it is not known."""
        names = [name for name in self.models if model.startswith(name)]
        return self.models[max(names, key=len)] if names else None


def read_prices(own: Path | None = None) -> Prices:
    """The shipped prices; those of the operator's file replace them, model by model.

    Raises:
        SettingsError: the operator's file cannot be read.
    """
    models = _read(_SHIPPED)
    if own:
        models |= _read(own)
    return Prices(models)


def _read(file: Path) -> dict[str, Price]:
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        return _PriceFile.model_validate(content).models
    except (OSError, ValueError, ValidationError) as error:
        raise SettingsError(f"PRICES_FILE {file} cannot be read: {error}") from error
