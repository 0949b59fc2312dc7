"""The judging of a call: made at once, approved by a person first, or never made."""

from dataclasses import dataclass
from pathlib import Path

from agent_core.consent.actions import Action, actions_of
from agent_core.consent.addresses import addresses_in
from agent_core.consent.policy_file import read_rules
from agent_core.consent.rules import Rule, Verdict, prefix_of
from agent_core.messages import ToolCall
from agent_core.tools.names import MAX_NAME_CHARS
from agent_core.tools.slugs import reads

SHIPPED = Path(__file__).with_name("policy.yaml")

UNREADABLE = (
    "what it would do cannot be read; a batch needs entries with a plain tool_slug each, and their "
    "arguments as an object"
)
AFTER_OUTSIDE_TEXT = "text from outside was read, which may have asked for this"
NO_RULE = "no rule speaks of it"

_STRICTNESS: tuple[Verdict, ...] = ("allow", "ask", "refuse")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAction:
    """An action with what is to become of it."""

    action: Action
    verdict: Verdict
    rule: str
    """What decided, in words for people."""
    has_effect: bool
    """Somebody else may see or feel it, or it costs something: such a call is audited."""
    unseen_forbidden: tuple[str, ...] = ()
    """Its addresses, where each must have been seen literally in the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What is to become of a call: as strict as its strictest action."""

    verdict: Verdict
    reason: str
    """Why it is not simply made; of the first action with this verdict."""
    actions: tuple[JudgedAction, ...]

    @property
    def has_effect(self) -> bool:
        return any(each.has_effect for each in self.actions)

    @property
    def addresses(self) -> tuple[str, ...]:
        """All that must have been seen; see `addresses.made_up`. Empty before the taint."""
        return tuple(dict.fromkeys(url for each in self.actions for url in each.unseen_forbidden))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Rules in their order; the first that fits decides, and none means ask."""

    rules: tuple[Rule, ...]

    def judge(self, call: ToolCall, *, is_tainted: bool) -> Judgement:
        """Judge every action of a call.

        Once `is_tainted`, nothing that has an effect is allowed unless the rule itself says that it
        is meant for that. An action that cannot be read is refused, whatever the rules say.
        """
        prefix = prefix_of(call.name)
        judged = tuple(
            self._judge_action(action, prefix, is_tainted=is_tainted) for action in actions_of(call)
        )
        strictest = max(judged, key=lambda each: _STRICTNESS.index(each.verdict))
        name = strictest.action.tool or call.name[:MAX_NAME_CHARS]
        return Judgement(
            verdict=strictest.verdict, reason=f"{name}: {strictest.rule}", actions=judged
        )

    def _judge_action(self, action: Action, prefix: str, *, is_tainted: bool) -> JudgedAction:
        if not action.tool:
            return JudgedAction(action=action, verdict="refuse", rule=UNREADABLE, has_effect=True)
        has_effect = not reads(f"{prefix}{action.tool}")
        rule = next((rule for rule in self.rules if rule.fits(action, prefix)), None)
        if rule is None:
            return JudgedAction(action=action, verdict="ask", rule=NO_RULE, has_effect=has_effect)
        has_effect = has_effect and not rule.stays_inside
        overruled = is_tainted and has_effect and not rule.even_when_tainted
        overruled = overruled and rule.verdict == "allow"
        must_be_seen = is_tainted and rule.addresses == "seen"
        return JudgedAction(
            action=action,
            verdict="ask" if overruled else rule.verdict,
            rule=AFTER_OUTSIDE_TEXT if overruled else rule.rule,
            has_effect=has_effect,
            unseen_forbidden=addresses_in(action.arguments) if must_be_seen else (),
        )


def read_policy(path: Path | None = None) -> Policy:
    """The policy that ships with the product, behind the operator's rules where there is a file.

    Raises:
        SettingsError: the file cannot be read, or what is wrong in it, with the line.
    """
    own = read_rules(path) if path is not None else ()
    return Policy(rules=(*own, *read_rules(SHIPPED)))
