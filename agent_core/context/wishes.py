"""Instructions of a scope in a system prompt: its people's words, which shape and never widen."""

from agent_core.prompts import prompt
from agent_core.scoped_settings import EffectiveSettings


def with_wishes(system: str, settings: EffectiveSettings) -> str:
    """A system prompt, with the instructions of every scope behind it, the widest scope's first."""
    wishes = [
        f'<wish of="{each.origin}">\n{each.text.replace("<", "(")}\n</wish>'
        for each in settings.held.get("instructions", ())
        if each.text
    ]
    if not wishes:
        return system
    block = prompt("wishes", wishes="\n".join(wishes))
    return f"{system}\n\n{block}"
