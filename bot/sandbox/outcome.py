"""What a driven sandbox came to: turns, posts and files, as `--json` tells them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from bot.sandbox.composio import Execution
from bot.sandbox.slack import File, Post
from bot.sandbox.slack.wire import as_array, as_object
from bot.sandbox.watch import WatchedTurn


@dataclass(slots=True, kw_only=True)
class Outcome:
    """It grows while the sandbox is driven."""

    turns: dict[TurnId, WatchedTurn] = field(default_factory=dict[TurnId, WatchedTurn])
    """In the order in which they began."""
    posts: list[Post] = field(default_factory=list[Post])
    root_posts: list[JsonObject] = field(default_factory=list[JsonObject])
    """What the bot began threads with by itself."""
    files: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """The uploaded ones by Slack's id: what each is called, and where it was saved."""
    effects: Sequence[Execution] | None = None
    """What the Composio stand-in was made to change; None where the real service was used."""
    restarts: int = 0
    steps_repeated: int = 0
    never_came: tuple[str, ...] = ()
    """Events that the bot was to be killed at and that did not come."""
    unpressed: tuple[str, ...] = ()
    """Clicks on approvals and connections that no turn asked for."""

    @property
    def workspace(self) -> Path | None:
        """Of the session of the last turn."""
        return next((each.workspace for each in reversed(self.turns.values())), None)

    def as_json(self) -> JsonObject:
        """The object of `--json`."""
        return {
            "turns": [turn.as_json() for turn in self.turns.values()],
            "posts": [_post_json(post) for post in self.posts],
            "root_posts": self.root_posts,
            "files": list(self.files.values()),
            "effects": None if self.effects is None else list(map(_effect_json, self.effects)),
            "workspace": str(self.workspace) if self.workspace else None,
            "restarts": self.restarts,
            "steps_repeated": self.steps_repeated,
            "never_came": list(self.never_came),
            "unpressed": list(self.unpressed),
        }

    def note_root(self, channel: str, at: str, post: Post, replies: Sequence[Post]) -> None:
        """A post outside of threads, by its channel's name and in ISO local time."""
        told = [
            {
                "text": reply.text,
                "files": [self.files[file.id] for file in reply.files if file.id in self.files],
            }
            for reply in replies
        ]
        root = {"channel": channel, "at": at, "ts": post.ts, "text": post.text, "replies": told}
        self.root_posts.append(root)


def _post_json(post: Post) -> JsonObject:
    return {
        "ts": post.ts,
        "thread_ts": post.root_ts,
        "user": post.user,
        "only_for": post.ephemeral_to,
        "text": post.text,
        "blocks_text": "\n".join(_texts_in(list(post.blocks))),
    }


def _texts_in(value: object) -> Iterator[str]:
    """All that is to be read in blocks: what an approval shows stands there alone."""
    fields = as_object(value) or {}
    for key, item in fields.items():
        if key == "text" and isinstance(item, str):
            yield item
        else:
            yield from _texts_in(item)
    for item in as_array(value) or ():
        yield from _texts_in(item)


def _effect_json(effect: Execution) -> JsonObject:
    return {
        "for": effect.user_id,
        "tool": effect.slug,
        "account": effect.identity,
        "account_of": effect.account_user_id,
        "arguments": dict(effect.arguments),
        "at": effect.at.isoformat(),
    }


def save_files(files: list[File], directory: Path) -> dict[str, JsonObject]:
    """Write them below their own names, by Slack's id; of two with one name both are kept."""
    saved: dict[str, JsonObject] = {}
    for file in files:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / (Path(file.name).name or file.id)
        if str(path) in {told["path"] for told in saved.values()}:
            path = path.with_stem(f"{path.stem} ({file.id})")
        path.write_bytes(file.content)
        told = {"bytes": len(file.content), "mimetype": file.mimetype}
        saved[file.id] = {"name": file.name, "path": str(path), **told}
    return saved
