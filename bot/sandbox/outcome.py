"""The parts of `--json`: posts, files and effects; others read them by these names."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from agent_core.messages import JsonObject
from bot.sandbox.composio import Execution
from bot.sandbox.slack import File, Post
from bot.sandbox.slack.wire import as_array, as_object


def post_json(post: Post) -> JsonObject:
    """A post of the thread, and who alone saw it."""
    return {
        "ts": post.ts,
        "thread_ts": post.root_ts,
        "user": post.user,
        "only_for": post.ephemeral_to,
        "text": post.text,
        "blocks_text": "\n".join(_texts_in(list(post.blocks))),
    }


def root_json(
    channel: str, at: str, post: Post, replies: Sequence[Post], files: Mapping[str, JsonObject]
) -> JsonObject:
    """A post outside of threads, by its channel's name and in ISO local time."""
    told = [
        {
            "text": reply.text,
            "files": [files[file.id] for file in reply.files if file.id in files],
        }
        for reply in replies
    ]
    return {"channel": channel, "at": at, "ts": post.ts, "text": post.text, "replies": told}


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


def effect_json(effect: Execution) -> JsonObject:
    """What the Composio stand-in was made to change, and with whose account."""
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
