"""What each room may cost, in lines of Python and in files: `python -m tests.architecture.budgets`.

A ceiling only goes down, but for what an issue allows: over 42,842 lines of product and 44,951 of
tests, issue 13 allows 1,800 and 3,000 more, issue 14 2,500 of product. The sums stand above that
and are to come down. To put something into a room that is full, take something out of it.
"""

from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Budget:
    """What a room may hold now, and what the house's plan wants it to hold."""

    max_lines: int
    max_files: int
    goal_lines: int
    goal_files: int


ROOMS = {
    "agent_core/classifier": Budget(380, 3, 320, 3),
    "agent_core/consent": Budget(1898, 12, 1450, 11),
    "agent_core/context": Budget(210, 3, 160, 2),
    "agent_core/durable": Budget(451, 3, 390, 3),
    "agent_core/loop": Budget(1104, 7, 820, 6),
    "agent_core/models": Budget(875, 6, 900, 6),
    "agent_core/observers": Budget(727, 6, 750, 7),
    "agent_core/prompts": Budget(192, 3, 180, 3),
    "agent_core/runtime": Budget(4108, 16, 2600, 12),
    "agent_core/schedules": Budget(923, 5, 700, 5),
    "agent_core/sessions": Budget(3329, 20, 2500, 16),
    "agent_core/subagents": Budget(436, 3, 170, 2),
    "agent_core/testing": Budget(885, 8, 950, 8),
    "agent_core/tools": Budget(4813, 22, 2900, 22),
    "agent_core/words": Budget(93, 1, 90, 1),
    "agent_core/workspaces": Budget(638, 6, 650, 7),
    "agent_core": Budget(23450, 141, 16_800, 120),
    "bot/check": Budget(557, 5, 480, 5),
    "bot/consent": Budget(274, 3, 150, 2),
    "bot/console": Budget(1431, 8, 120, 2),
    "bot/digests": Budget(1379, 7, 1200, 7),
    "bot/home": Budget(619, 4, 650, 4),
    "bot/ingress": Budget(3083, 14, 2700, 12),
    "bot/presenter": Budget(2770, 14, 2100, 12),
    "bot/render": Budget(1066, 7, 600, 8),
    "bot/slack_api": Budget(1665, 10, 1350, 11),
    "bot/socket": Budget(553, 4, 700, 8),
    "bot without sandbox": Budget(15936, 93, 10_900, 85),
    "bot/sandbox/slack": Budget(3465, 26, 3400, 30),
    "bot/sandbox/page": Budget(586, 4, 600, 8),
    "bot/sandbox/model": Budget(2250, 15, 2000, 16),
    "bot/sandbox/composio": Budget(1582, 11, 1600, 14),
    "bot/sandbox": Budget(9462, 67, 9000, 80),
    "mcp_local": Budget(5779, 45, 4700, 42),
    "product": Budget(54554, 346, 43_000, 330),
    "bot/sandbox, JS and CSS": Budget(3765, 31, 4500, 50),
    "bot/console, JS and CSS": Budget(2102, 21, 2500, 24),
    "tests": Budget(58827, 353, 45_000, 330),
}
"""A folder with all below it, or one of the sums that `holdings` knows by name."""


def holdings(room: str) -> tuple[int, int]:
    """Lines and files of a room."""
    match room:
        case "product":
            paths = [*_sources("agent_core"), *_sources("bot"), *_sources("mcp_local")]
        case "bot without sandbox":
            paths = [
                path
                for path in _sources("bot")
                if "sandbox" not in path.relative_to(REPOSITORY).parts
            ]
        case "bot/sandbox, JS and CSS" | "bot/console, JS and CSS":
            folder = room.partition(",")[0]
            paths = [*_sources(folder, "*.js"), *_sources(folder, "*.css")]
        case _:
            paths = _sources(room)
    return sum(path.read_bytes().count(b"\n") for path in paths), len(paths)


def _sources(folder: str, pattern: str = "*.py") -> list[Path]:
    return list((REPOSITORY / folder).rglob(pattern))


def main() -> None:
    """Print the table."""
    print(f"{'room':<28}{'lines':>8}{'files':>7}{'budget':>15}{'goal':>15}")  # noqa: T201
    for room, budget in ROOMS.items():
        lines, files = holdings(room)
        may = f"{budget.max_lines} / {budget.max_files}"
        goal = f"{budget.goal_lines} / {budget.goal_files}"
        print(f"{room:<28}{lines:>8}{files:>7}{may:>15}{goal:>15}")  # noqa: T201


if __name__ == "__main__":
    main()
