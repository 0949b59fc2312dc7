"""robots.txt as RFC 9309 reads it: the most specific group for us, then the longest rule."""

import re
from dataclasses import dataclass
from urllib.parse import quote

MAX_ROBOTS_BYTES = 500 * 1024
_MAX_RULES = 5_000
_KEPT_LITERALLY = "/*$%?&=;:@+,!~'()[]#"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One Allow or Disallow line."""

    allows: bool
    pattern: str

    def matches(self, path: str) -> bool:
        """`*` stands for anything, a final `$` for the end of the path."""
        anchored = self.pattern.endswith("$")
        first, *rest = self.pattern.removesuffix("$").split("*")
        if not path.startswith(first):
            return False
        return _follow(path, len(first), rest, anchored=anchored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Robots:
    """The rules of one host that hold for us."""

    rules: tuple[Rule, ...] = ()

    def allows(self, path: str) -> bool:
        """Whether a path with its query may be fetched; /robots.txt always may."""
        matching = [rule for rule in self.rules if rule.matches(path)]
        if not matching or path == "/robots.txt":
            return True
        return max(matching, key=lambda rule: (len(rule.pattern), rule.allows)).allows


def parse_robots(text: str, product: str) -> Robots:
    """The rules for the named product, or those for everyone when it is not named."""
    own: list[Rule] = []
    everyone: list[Rule] = []
    named = False
    agents: set[str] = set()
    in_rules = False
    for field, value in _lines(text):
        if field == "user-agent":
            agents = set() if in_rules else agents
            in_rules = False
            agents.add(_product(value))
            named = named or product.lower() in agents
            continue
        in_rules = True
        if len(own) + len(everyone) < _MAX_RULES and value:
            rule = Rule(allows=field == "allow", pattern=quote(value, safe=_KEPT_LITERALLY))
            own.extend([rule] if product.lower() in agents else [])
            everyone.extend([rule] if "*" in agents else [])
    return Robots(rules=tuple(own if named else everyone))


def _lines(text: str) -> list[tuple[str, str]]:
    """The fields that matter, comments and the rest dropped."""
    pairs = (line.partition("#")[0].partition(":") for line in text.splitlines())
    fields = ((name.strip().lower(), value.strip()) for name, _, value in pairs)
    return [pair for pair in fields if pair[0] in {"user-agent", "allow", "disallow"}]


def _product(agent: str) -> str:
    """`ExampleBot/1.0` speaks to ExampleBot."""
    if agent.startswith("*"):
        return "*"
    match = re.match(r"[a-zA-Z_-]+", agent)
    return match[0].lower() if match else agent.lower()


def _follow(path: str, start: int, rest: list[str], *, anchored: bool) -> bool:
    """Whether the pieces after each `*` stand in the path in this order."""
    if not rest:
        return not anchored or start == len(path)
    *middle, last = rest
    for piece in middle:
        found = path.find(piece, start)
        if found < 0:
            return False
        start = found + len(piece)
    if anchored:
        return path.endswith(last) and len(path) - len(last) >= start
    return path.find(last, start) >= 0
