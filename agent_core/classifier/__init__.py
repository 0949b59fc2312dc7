"""The small model's verdicts: which way a message goes, and whether a reply is for the bot."""

from agent_core.classifier.replies import Line, ReplyReader, Talk
from agent_core.classifier.router import (
    LONG_TEXT_CHARS,
    ROUTED,
    WRAP_UP,
    NamedModels,
    Routed,
    Router,
    Routing,
    Verdict,
    rule_for,
)
from agent_core.classifier.setting_reader import SettingDraft, read_setting

__all__ = [
    "LONG_TEXT_CHARS", "ROUTED", "WRAP_UP", "Line", "NamedModels", "ReplyReader", "Routed",
    "Router", "Routing", "SettingDraft", "Talk", "Verdict", "read_setting", "rule_for",
]  # fmt: skip
