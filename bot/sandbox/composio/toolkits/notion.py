"""Notion: pages that people's accounts wrote."""

import secrets
from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from bot.sandbox.composio.outcome import Outcome
from bot.sandbox.composio.tools import AppArguments, Caller, Tool, Toolkit

SLUG = "notion"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotionPage:
    id: str
    title: str
    markdown: str
    parent_id: str | None


class NotionPages:
    """The pages that everybody wrote."""

    def __init__(self) -> None:
        self._pages: defaultdict[str, list[NotionPage]] = defaultdict(list)

    def of(self, user_id: str) -> list[NotionPage]:
        return self._pages[user_id]


class CreateArguments(AppArguments):
    title: Annotated[str, Field(min_length=1, description="Title of the page.")]
    markdown: Annotated[str, Field(description="Text of the page in Markdown.")] = ""
    parent_id: Annotated[
        str | None, Field(description="Page it lies under; the top of the workspace without one.")
    ] = None


def build_notion(pages: NotionPages) -> Toolkit:
    """Notion with the tool that writes a page."""

    async def create(caller: Caller, arguments: CreateArguments) -> Outcome:
        page = NotionPage(
            id=secrets.token_hex(16),
            title=arguments.title,
            markdown=arguments.markdown,
            parent_id=arguments.parent_id,
        )
        pages.of(caller.user_id).append(page)
        url = f"https://notion.example.com/{page.id}"
        return Outcome(data={"id": page.id, "object": "page", "url": url})

    tool = Tool.define(
        "NOTION_CREATE_PAGE",
        CreateArguments,
        create,
        title="Create page",
        toolkit=SLUG,
        description="Creates a page with a title and Markdown text in the person's Notion.",
        tags=("createHint",),
        keywords=frozenset({"notion", "page", "create", "write", "note", "add", "document"}),
    )
    return Toolkit(slug=SLUG, name="Notion", description="Notion as one person.", tools=(tool,))
