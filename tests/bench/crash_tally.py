"""What the crashes have cost, counted from outside: in Slack, at the model, at the tools."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.sandbox.slack.records import Post
from tests.bench.crash_traffic import CHANNEL, REPORTS, Asked, Traffic, files_in, op_of
from tests.bench.crash_world import Life, Lives, Outside

WRITES = frozenset({"chat.postMessage", "chat.update", "files.completeUploadExternal"})


@dataclass(slots=True, kw_only=True)
class Tally:
    """Lists of what is wrong, so that a person can look at it; their lengths are the figures."""

    lost: list[str] = field(default_factory=list[str])
    duplicate_posts: list[str] = field(default_factory=list[str])
    duplicate_files: list[str] = field(default_factory=list[str])
    duplicate_effects: list[str] = field(default_factory=list[str])
    left_open: list[str] = field(default_factory=list[str])
    """Progress posts that still say that the bot is at work."""
    model_calls_repeated: list[datetime] = field(default_factory=list[datetime])
    """When each request came that had come before."""
    recovery_s: list[float] = field(default_factory=list[float])


def count(outside: Outside, traffic: Traffic, lives: Lives) -> Tally:
    """Count everything."""
    posts = [p for p in outside.slack.posts(CHANNEL) if p.user == outside.slack.bot_user_id]
    return Tally(
        lost=[asked.word for asked in traffic.open()]
        + [f"report of {ts}" for ts in traffic.without_report()],
        duplicate_posts=_duplicate_posts(posts),
        duplicate_files=_surplus_files(traffic.asked, posts),
        duplicate_effects=_duplicate_effects(outside),
        left_open=[post.text.partition("\n")[0] for post in traffic.at_work()],
        model_calls_repeated=_repeated(outside),
        recovery_s=_recoveries(outside, traffic, lives),
    )


def _surplus_files(asked: Sequence[Asked], posts: Sequence[Post]) -> list[str]:
    wanted = Counter(ask.root_ts for ask in asked if ask.kind in REPORTS)
    surplus: list[str] = []
    for ts in {post.root_ts for post in posts if post.files}:
        surplus += files_in(posts, ts)[wanted[ts] :]
    return surplus


def _duplicate_posts(posts: Sequence[Post]) -> list[str]:
    """The same op id twice, or the same answer twice in a thread."""
    ops = Counter(op for post in posts if (op := op_of(post)))
    answers = Counter((p.root_ts, p.words) for p in posts if ":answer" in op_of(p) and p.words)
    found = [op for op, times in ops.items() for _ in range(times - 1)]
    return found + [text[:80] for (_, text), times in answers.items() for _ in range(times - 1)]


def _duplicate_effects(outside: Outside) -> list[str]:
    """Errands and letters that the Composio stand-in has run more than once."""
    done = Counter(str(call.arguments.get("thought") or "") for call in outside.composio.calls)
    errands = Counter({word: n for word, n in done.items() if word.startswith("errand")})
    letters = Counter(str(each.arguments.get("subject")) for each in outside.composio.effects)
    return [word for word, times in (errands + letters).items() for _ in range(times - 1)]


def _repeated(outside: Outside) -> list[datetime]:
    seen: set[str] = set()
    again: list[datetime] = []
    for call in sorted(outside.model.calls, key=lambda call: call.at):
        if call.status != 200 or not call.digest:
            continue
        if call.digest in seen:
            again.append(call.at)
        seen.add(call.digest)
    return again


def worst_death(repeated: Sequence[datetime], deaths: Sequence[Life]) -> int:
    """The most requests that came again after one death."""
    last = [max((d.died_at for d in deaths if d.died_at and d.died_at <= at), default=None)
            for at in repeated]  # fmt: skip
    return max(Counter(last).values(), default=0)


def _recoveries(outside: Outside, traffic: Traffic, lives: Lives) -> list[float]:
    """For each restart, the seconds to the next sign of a turn that the death interrupted."""
    moments = _progress(outside)
    found: list[float] = []
    for death, life in zip(lives.all, lives.all[1:], strict=False):
        if death.died_at is None:
            continue
        words = _interrupted(outside, traffic, death.died_at)
        signs = [at for at, text in moments if at > life.started_at and _names(text, words)]
        if signs and (life.died_at is None or signs[0] < life.died_at):
            found.append((signs[0] - life.started_at).total_seconds())
    return found


def _progress(outside: Outside) -> list[tuple[datetime, str]]:
    """Every model call and every write to Slack: when, and a text that names what it is about."""
    calls = [(call.at, json.dumps(call.body, ensure_ascii=False)) for call in outside.model.calls]
    writes = [
        (datetime.fromtimestamp(call.at_s, UTC), str(call.args))
        for call in outside.slack.calls
        if call.method in WRITES
    ]
    return sorted(calls + writes, key=lambda moment: moment[0])


def _interrupted(outside: Outside, traffic: Traffic, at: datetime) -> list[str]:
    """Words and thread ids of the asks that were made, and not answered, when the bot died."""
    answered = {
        op_of(post): datetime.fromtimestamp(float(post.ts), UTC)
        for post in outside.slack.posts(CHANNEL)
    }
    names: list[str] = []
    for asked in traffic.asked:
        said_at = datetime.fromtimestamp(float(asked.ts), UTC)
        done_at = answered.get(f"{asked.op_id}:0")
        if said_at < at and (done_at is None or done_at > at):
            names += [asked.word, asked.root_ts]
    return names


def _names(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)
