"""The answer of a turn as posts, and the rows below: what one may ask next, what it was worth."""

import asyncio
import hashlib
import logging
import os
import re
import stat
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path, PurePosixPath

from agent_core.events import (
    REPORT,
    ArtifactSaved,
    SentFile,
    TurnFinished,
)
from agent_core.ids import TurnId
from agent_core.masking import masked_post
from agent_core.messages import JsonObject
from agent_core.runtime import day_words, without_paths
from agent_core.words import Words
from bot import clicks
from bot.clicks import FeedbackClick, FollowUpClick
from bot.presenter.journal import Destination
from bot.render import (
    AboutSources,
    IsLive,
    PostDraft,
    actions,
    answer_drafts,
    clean,
    context,
    fenced,
    inert,
    limits,
    plain_host,
    plain_line,
    plain_text,
    sections,
    split,
)
from bot.slack_api import (
    ContentRefused,
    Op,
    SlackError,
    SlackRefused,
    Upload,
)
from bot.threads import ThreadRef

WHOLE_ANSWER_NAME = "answer.md"

_POST = re.compile(r"archives/[A-Z0-9]+/p\d+(?:\?thread_ts=[\d.]+&cid=[A-Z0-9]+)?")
"""A post's place below the team's address."""

_log = logging.getLogger(__name__)


def answer_text(event: TurnFinished, words: Words) -> str:
    """The Markdown to show: never nothing, and a failure with what the operator finds it by."""
    if event.outcome != "failed":
        return event.answer.strip() or words("progress-no-answer")
    sentence = event.answer.strip() or words("progress-failure")
    if not event.reference or event.reference in sentence:
        return sentence
    return f"{sentence}\n\n{words('progress-reference', what=f'`{event.reference}`')}"


def live_links(event: TurnFinished, home: str) -> IsLive:
    """Which addresses of the answer may be live: all, or those that the session came by.

    Of the team's own pages in Slack, whose address is `home`, each post is one of these.
    """
    known = {_comparable(source) for source in event.sources}

    def is_live(url: str) -> bool:
        is_post = bool(home) and url.startswith(home) and _POST.fullmatch(url[len(home) :])
        return not event.is_tainted or bool(is_post) or _comparable(url) in known

    return is_live


def _comparable(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def thread_drafts(
    markdown: str,
    words: Words,
    is_live: IsLive,
    *,
    sources: Sequence[str] = (),
    published: Iterable[tuple[str, str, str]] = (),
) -> tuple[list[PostDraft], bool]:
    """The answer's posts or, of more than a thread bears, its beginning; and whether it is cut.

    `published` has addresses with the ISO days of their publication, and their publishers.
    """
    drafts = answer_drafts(
        markdown[: limits.ANSWER_CHARS],
        is_live,
        sources=sources,
        about=about_sources(published, words("consent-language")),
        heading=words("progress-sources"),
    )
    drafts = drafts or [PostDraft(text=words("progress-no-answer"))]  # such as an empty code block
    if len(markdown) <= limits.ANSWER_CHARS and len(drafts) <= limits.ANSWER_POSTS:
        return drafts, False
    return [*drafts[:1], PostDraft(text=words("progress-whole-answer"))], True


def about_sources(published: Iterable[tuple[str, str, str]], language: str) -> AboutSources:
    """Publishers of sources, and the days on which they were published in words, by address."""
    return {
        url: (publisher, day and day_words(date.fromisoformat(day), language))
        for url, day, publisher in published
    }


def final_drafts(
    event: TurnFinished,
    saved: Sequence[ArtifactSaved],
    words: Words,
    home: str,
    *,
    is_plain: bool,
    is_rated: bool,
    footer: str = "",
) -> tuple[str, list[PostDraft], bool]:
    """The end of a turn as Markdown and, as `thread_drafts`, in posts.

    With `is_plain` the posts show an answer as code. Below an answer that `is_rated` stand the
    questions about its report, and the buttons to rate it. `home` is the team's address in Slack.
    """
    markdown = masked_post(answer_text(event, words))  # a post or a page may end in a secret
    is_code = is_plain and event.outcome != "failed"  # then the words are ours
    drafts, is_cut = thread_drafts(
        fenced(markdown) if is_code else markdown,
        words,
        live_links(event, home),
        sources=event.citations or ("",) * bool(event.sources),
        published=event.published,
    )
    rows: list[JsonObject] = []
    if event.has_findings:
        rows = follow_up_rows([words("progress-answer-now")])
    elif is_rated and event.outcome in ("answered", "limited"):
        reports = [file.follow_ups for file in saved if file.mimetype == REPORT]
        questions = reports[-1] if reports else ()
        rows = [*follow_up_rows(questions), feedback_block(event.turn, words)]
    if footer:
        rows.insert(0, context(footer))
    if drafts[-1].blocks and rows:
        drafts[-1] = replace(drafts[-1], blocks=(*drafts[-1].blocks, *rows))
    return markdown, drafts, is_cut


async def post_answer(destination: Destination, op: Op, drafts: Sequence[PostDraft]) -> None:
    """Post an answer's parts in order: each as it is, or else less of it.

    That is without charts, or without blocks and in shorter parts.

    Raises ContentRefused if Slack takes a part in no form, SlackError where it gave no answer or
    refused the token; the rest can be posted later.
    """
    for number, draft in enumerate(drafts):
        part = op.part(number)
        try:
            await _post(destination, part, draft)
        except ContentRefused as refused:
            _log.warning("posting smaller: %s", refused)
            for n, text in enumerate(split(draft.whole or draft.text, limits.TEXT_CHARS // 3)):
                await destination.post(part.part("smaller", n), PostDraft(text=text))


async def _post(destination: Destination, op: Op, draft: PostDraft) -> None:
    try:
        await destination.post(op, draft)
    except ContentRefused:
        if draft.without_charts == draft:
            raise
        await destination.post(op, draft.without_charts)


def follow_up_rows(questions: Iterable[str]) -> list[JsonObject]:
    """What the reader may ask next, as buttons; what they say is asked."""
    labels = [plain_line(question, limits.LABEL_CHARS) for question in questions]
    labels = [label for label in labels if label][: limits.FOLLOW_UPS]
    buttons = [
        clicks.button(label, FollowUpClick(question=label), number=number)
        for number, label in enumerate(labels)
    ]
    return [actions(*buttons)] if buttons else []


def feedback_block(turn: TurnId, words: Words) -> JsonObject:
    """A block for the end of a turn's answer, in its language."""
    up = FeedbackClick(turn=turn, verdict="up")
    down = FeedbackClick(turn=turn, verdict="down")
    row = {
        "type": "feedback_buttons",
        "action_id": up.kind,
        "positive_button": _verdict_button(up, words),
        "negative_button": _verdict_button(down, words),
    }
    return {"type": "context_actions", "elements": [row]}


def _verdict_button(click: FeedbackClick, words: Words) -> JsonObject:
    label = words(f"feedback-{click.verdict}")
    return {"text": plain_text(label), "value": click.encoded(), "accessibility_label": label}


MAX_ENDING_BYTES = 16
PUBLIC_DIRECTORY = "work_products"
_PAGES = (".html", ".htm", ".xhtml", ".xht", ".mhtml", ".shtml")
"""What a browser opens as a page, with its scripts."""
_UNSAFE = re.compile(r"[^\w.\- ()]+")
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def sent_op(turn: TurnId, sha256: str) -> Op:
    """The post of a file that a call would send."""
    return Op(turn).part("sent").part(sha256[:12])


class ArtifactRefused(OSError):
    """A file may not be, or cannot be, uploaded."""


def read_artifact(workspace: Path, path: str) -> bytes:
    """The file at `path`, relative to the workspace.

    Only regular files below `work_products/`, reached without any link, with no second name
    elsewhere, and no bigger than `FILE_BYTES`. Raises ArtifactRefused for all others.
    """
    if PurePosixPath(path).parts[:1] != (PUBLIC_DIRECTORY,):
        raise ArtifactRefused("it is no work product")
    return _read(workspace, path)


def read_sent(workspace: Path, file: SentFile) -> bytes:
    """A file that a call would send. Raises ArtifactRefused if it changed since its upload."""
    content = _read(workspace, file.path)
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ArtifactRefused("it was changed")
    return content


def file_name(name: str) -> str:
    """A safe file name: no path, no hidden or reversed characters, not too long."""
    plain = _UNSAFE.sub("_", clean(name).replace("\n", " ")).strip(" .-") or "file"
    stem, dot, ending = plain.rpartition(".")
    if not dot:
        return _cut(plain, limits.FILE_NAME_BYTES)
    ending = _cut(ending, MAX_ENDING_BYTES)
    room = limits.FILE_NAME_BYTES - len(ending.encode()) - 1
    return f"{_cut(stem, room)}.{ending}"


def _read(workspace: Path, path: str) -> bytes:
    """Open each folder relative to the one above, without following links (no escape)."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or PurePosixPath(path).is_absolute():
        raise ArtifactRefused("it lies elsewhere")
    *folders, name = parts
    try:
        directory = os.open(workspace, _DIRECTORY)
        try:
            for folder in folders:
                inner = os.open(folder, _DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
                os.close(directory)
                directory = inner
            return _read_file(os.open(name, _FILE, dir_fd=directory))
        finally:
            os.close(directory)
    except ArtifactRefused:
        raise
    except OSError as error:
        raise ArtifactRefused("it cannot be read") from error


def _read_file(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
            raise ArtifactRefused("it is no plain file")
        if not 0 < about.st_size <= limits.FILE_BYTES:
            raise ArtifactRefused("it is empty or too big")
        return file.read(about.st_size)


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


def _is_foreign_page(file: ArtifactSaved) -> bool:
    """Whether a file is a page, whose scripts a browser would run, and no report of ours."""
    return file.path.lower().endswith(_PAGES) and file.mimetype != REPORT


def _check_fits(file: ArtifactSaved, count: int, room: int) -> None:
    """Raises ArtifactRefused for a page that is no report of ours, or more than a post may have."""
    if _is_foreign_page(file):
        raise ArtifactRefused("it is a page, and not a report")
    if count >= limits.POST_FILES or file.size_bytes > room:
        raise ArtifactRefused("it is more than a post may have")


def handed_out(saved: Collection[ArtifactSaved]) -> list[ArtifactSaved]:
    """The files to upload: of a run's reports only the last one, as drafts are rewritten.

    Files with the name of a draft, such as its PDF, are left out with it.
    """
    reports = [each for each in saved if each.mimetype == REPORT]
    newest = {each.run: each.path for each in reports}
    drafts = {_stem(each) for each in reports if each.path != newest[each.run]}
    return [each for each in saved if _stem(each) not in drafts]


def _stem(file: ArtifactSaved) -> str:
    stem, _, _ = file.path.rpartition(".")
    return stem


@dataclass(slots=True)
class ThreadFiles:
    """Uploads files to the turn's destination; a sentence names each file that is missing."""

    _destination: Destination
    _workspace: Path

    async def post(
        self,
        op: Op,
        drafts: Sequence[PostDraft],
        saved: Sequence[ArtifactSaved],
        more: Sequence[Upload] = (),
    ) -> None:
        """As `post_answer`; the last post has the files of the workspace, and `more` uploads.

        A page beside a report is no loss: it is left out without a word.
        """
        uploads: list[Upload] = []
        missing: list[str] = []
        room = limits.POST_BYTES
        has_report = any(file.mimetype == REPORT for file in saved)
        for file in saved:
            try:
                _check_fits(file, len(uploads), room)
            except ArtifactRefused as refused:
                _log.warning("%s is not handed out: %s", file.path, refused)
                if not (has_report and _is_foreign_page(file)):
                    missing.append(file.title or file.path)
            else:
                if await self._is_shown(file):
                    continue
                room -= file.size_bytes
                uploads.append(self._upload(file))
        uploads += more
        if not uploads:
            await post_answer(self._destination, op, drafts)
        else:
            await post_answer(self._destination, op, drafts[:-1])
            last = op.part(max(len(drafts) - 1, 0))
            missing += await self._post_last(last, drafts[-1:], uploads)
        await self._say_missing(op, missing)

    async def _post_last(
        self, op: Op, draft: Sequence[PostDraft], uploads: Sequence[Upload]
    ) -> list[str]:
        """Post words and files as one, or as two if Slack refuses that or takes no files now."""
        bookmark = self._destination.journal.bookmark
        words = op.part("words")
        if words.part(0) not in bookmark.begun:
            blocks: list[JsonObject] = []
            for each in draft:
                blocks += each.blocks or sections(each.text)
            try:
                return await self._share(op, uploads, blocks)
            except SlackRefused as refused:
                _log.warning("files are posted apart from their words: %s", refused)
            except SlackError:
                if not any(each.is_within(op) for each in bookmark.files):
                    await post_answer(self._destination, words, draft)
                raise
        await post_answer(self._destination, words, draft)
        await self.upload(op.part("files"), *uploads)
        return []

    async def upload(self, op: Op, *uploads: Upload) -> bool:
        """Post files without words; whether Slack took all of them."""
        try:
            missing = await self._share(op, uploads)
        except SlackRefused as refused:
            _log.warning("files were refused: %s", refused)
            missing = [upload.title for upload in uploads]
        await self._say_missing(op, missing)
        return not missing

    async def show_sent(self, op: Op, file: SentFile) -> bool:
        """Post a file that a call would send, once a turn; whether people can look at it."""
        try:
            content = await asyncio.to_thread(read_sent, self._workspace, file)
        except ArtifactRefused as refused:
            _log.warning("%s cannot be shown before it is sent: %s", file.name, refused)
            return False
        name = file_name(file.name)
        title = name
        saved = self._destination.board.turn.artifacts.get(file.path)
        if saved:
            title = self._upload(saved).title
        upload = Upload(name=name, read=lambda: content, title=title)
        return await self.upload(op.part(name), upload)

    def shown(self, text: str) -> str:
        """What may be shown of a text of the model's: no secrets, and no paths of this machine."""
        return masked_post(without_paths(text, self._workspace, {}))

    async def _is_shown(self, file: ArtifactSaved) -> bool:
        """Whether a file was posted beside an approval of this turn: it stands in the thread once.

        Content decides, as in the approval; a file that was changed since then is another one.
        """
        turn = self._destination.board.turn.id
        bookmark = self._destination.journal.bookmark
        shown = [op for op in bookmark.files if op.is_within(Op(turn).part("sent"))]
        if not shown:
            return False
        try:
            content = await asyncio.to_thread(read_artifact, self._workspace, file.path)
        except ArtifactRefused:
            return False
        sent = sent_op(turn, hashlib.sha256(content).hexdigest())
        return any(op.is_within(sent) and op in bookmark.done for op in shown)

    def _upload(self, file: ArtifactSaved) -> Upload:
        name = file_name(PurePosixPath(file.path).name)
        line = " ".join(inert(file.title).split())
        title = line[: limits.FILE_TITLE_CHARS] or name
        alt_text = ""
        if file.mimetype.startswith("image/"):
            alt_text = self._destination.board.words("progress-picture-of", what=title)
        read = partial(read_artifact, self._workspace, file.path)
        return Upload(name=name, read=read, title=title, alt_text=alt_text)

    async def _share(
        self, op: Op, uploads: Sequence[Upload], blocks: Sequence[JsonObject] = ()
    ) -> list[str]:
        """Upload in one post; the titles of refused files. Raises SlackRefused if all are."""
        missing: list[str] = []
        journal = self._destination.journal
        files = self._destination.api.files

        async def write(thread: ThreadRef, op: Op, may_exist: bool) -> None:
            ids = journal.bookmark.files
            if may_exist and op in ids and await files.is_shared(ids[op], thread.channel):
                return

            async def remember(new: Sequence[str]) -> None:
                ids[op] = new[0]
                await journal.save()

            refused = await files.share(thread, uploads, blocks=blocks, remember=remember)
            missing.extend(upload.title for upload, _ in refused)

        await self._destination.once(op, write)
        return missing

    async def _say_missing(self, op: Op, names: Sequence[str]) -> None:
        words = self._destination.board.words
        rest = len(names) - limits.NAMED_FILES
        for number, name in enumerate(names[: limits.NAMED_FILES], 1):
            what = plain_host(plain_line(name, limits.PROGRESS_WORD_CHARS))
            if rest > 0 and number == limits.NAMED_FILES:
                what = f"{what} (+{rest})"
            draft = PostDraft(text=words("progress-no-file", what=what))
            await self._destination.post(op.part(name, "why"), draft)
