"""Settings in words: the small model reads what a person wants set for a channel, as a form.

What it reads is a proposal: nothing holds before a person who may has agreed to it by a click.
"""

from typing import Literal

from pydantic import BaseModel

from agent_core.errors import ModelError
from agent_core.messages import Payer, user_message
from agent_core.models import Model, ModelRequest, ToolSpec, filled_form
from agent_core.prompts import prompt, schema
from agent_core.schedules.order_reader import own_words
from agent_core.scoped_settings import SETTINGS, Held

READ_SETTING = "read_setting"


class SettingDraft(BaseModel):
    """What a person wants set, as the model reads it."""

    is_about_settings: bool = False
    scope: Literal["team", "channel", "thread"] = "channel"
    changes: dict[str, str] = {}
    """By setting the value that is wanted; an empty one is to be as if nobody had set it."""


async def read_setting(model: Model, text: str, held: Held, payer: Payer) -> SettingDraft:
    """What a message wants of settings; nothing where the model is away."""
    now = "\n".join(f"- {each.origin}: {each.text}" for each in held["instructions"])
    words = own_words(text).replace("<message>", "").replace("</message>", "")
    names = "\n".join(f"- {name}: {info.description}" for name, info in SETTINGS.items())
    briefing = prompt("setting_message", now=now, words=words)
    request = ModelRequest(
        system=prompt(READ_SETTING, names=names),
        messages=(user_message(briefing),),
        tools=(READ_SETTING_SPEC,),
        must_call=READ_SETTING,
        max_tokens=1_000,
        effort="low",
        payer=payer,
    )
    try:
        draft, _ = await filled_form(model, request, SettingDraft, patience_s=20.0)
    except (ModelError, TimeoutError):
        return SettingDraft()
    return draft or SettingDraft()


READ_SETTING_SPEC = ToolSpec(
    name=READ_SETTING,
    description="Says what the person wants set for the channel, thread or team.",
    input_schema=schema(READ_SETTING),
)
