"""GitHub: issues of repositories, which everybody's accounts share as they do there."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.tools import AppArguments, Caller, Tool, Toolkit

SLUG = "github"
ISSUE_WORDS = frozenset({"github", "issue", "issues", "bug", "ticket", "repository", "repo"})
Name = Annotated[str, Field(min_length=1, pattern=r"^[\w.-]+$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One issue of a repository."""

    repository: str
    number: int
    title: str
    body: str
    labels: tuple[str, ...]
    assignees: tuple[str, ...]
    author: str
    state: Literal["open", "closed"] = "open"

    def as_item(self) -> Data:
        """The issue as GitHub writes it."""
        return {
            "number": self.number,
            "title": self.title,
            "body": self.body,
            "state": self.state,
            "labels": [{"name": label} for label in self.labels],
            "assignees": [{"login": login} for login in self.assignees],
            "user": {"login": self.author},
            "html_url": f"https://github.example.com/{self.repository}/issues/{self.number}",
        }


class Issues:
    """The issues of all repositories."""

    def __init__(self) -> None:
        self._issues: defaultdict[str, list[Issue]] = defaultdict(list)

    def of(self, repository: str) -> list[Issue]:
        return self._issues[repository]


class CreateArguments(AppArguments):
    owner: Annotated[Name, Field(description="Owner of the repository.")]
    repo: Annotated[Name, Field(description="Name of the repository without its owner.")]
    title: Annotated[str, Field(min_length=1, description="Title of the issue.")]
    body: Annotated[str, Field(description="Text of the issue in Markdown.")] = ""
    labels: Annotated[tuple[str, ...], Field(description="Labels to put on it.")] = ()
    assignees: Annotated[tuple[str, ...], Field(description="Logins that it is given to.")] = ()


class ListArguments(AppArguments):
    owner: Annotated[Name, Field(description="Owner of the repository.")]
    repo: Annotated[Name, Field(description="Name of the repository without its owner.")]
    state: Annotated[
        Literal["open", "closed", "all"], Field(description="Which issues to list.")
    ] = "open"
    per_page: Annotated[int, Field(ge=1, le=100, description="How many at most.")] = 30


def build_github(issues: Issues) -> Toolkit:
    """GitHub with the tools for issues."""

    async def create(caller: Caller, arguments: CreateArguments) -> Outcome:
        repository = f"{arguments.owner}/{arguments.repo}"
        known = issues.of(repository)
        issue = Issue(
            repository=repository,
            number=len(known) + 1,
            title=arguments.title,
            body=arguments.body,
            labels=tuple(arguments.labels),
            assignees=tuple(arguments.assignees),
            author=caller.identity.partition("@")[0],
        )
        known.append(issue)
        return Outcome(data=issue.as_item())

    async def list_issues(_: Caller, arguments: ListArguments) -> Outcome:
        known = issues.of(f"{arguments.owner}/{arguments.repo}")
        found = [issue for issue in known if arguments.state in {issue.state, "all"}]
        items = [issue.as_item() for issue in reversed(found)]
        return Outcome(data={"issues": items[: arguments.per_page]})

    tools = (
        Tool.define(
            "GITHUB_CREATE_AN_ISSUE",
            CreateArguments,
            create,
            title="Create an issue",
            toolkit=SLUG,
            description="Creates an issue in a GitHub repository as the connected account.",
            tags=("createHint", "openWorldHint", "important"),
            keywords=ISSUE_WORDS | {"create", "open", "file", "add", "report", "anlegen"},
        ),
        Tool.define(
            "GITHUB_LIST_ISSUES",
            ListArguments,
            list_issues,
            title="List issues",
            toolkit=SLUG,
            description="Returns the issues of a GitHub repository, newest first.",
            tags=("readOnlyHint",),
            keywords=ISSUE_WORDS | {"list", "read", "get", "check", "find", "show"},
        ),
    )
    return Toolkit(slug=SLUG, name="GitHub", description="GitHub as one person.", tools=tools)
