"""The toolkit `composio_search`, with its descriptions for a model."""

from bot.sandbox.composio.engine import NewsArguments, SearchEngine, WebArguments
from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.outcome import Outcome
from bot.sandbox.composio.tools import Caller, Tool, Toolkit

SLUG = "composio_search"
WEB_DESCRIPTION = (
    "Searches the web and returns up to ten pages for a query, each with its address, title and a "
    "snippet around the matching words, together with a short answer drawn from them. Use it "
    "for background, how-to, documentation, comparisons and any fact that may be written down "
    "somewhere. Snippets are short: open the pages before you rely on them."
)
NEWS_DESCRIPTION = (
    "Searches recent news articles and returns for each its title, link, publisher, publication "
    "date and a snippet. Use it for current events, releases, incidents, prices, figures of "
    "this year and whatever is likely to have changed lately; narrow the time with `when`. Dates "
    "may be relative (3 days ago)."
)
WEB_WORDS = frozenset(
    {"search", "web", "internet", "online", "google", "research", "investigate", "find", "look"}
    | {"lookup", "information", "article", "articles", "sources", "source", "facts", "figures"}
    | {"background", "documentation", "guides", "guide", "compare", "learn", "gather", "collect"}
    | {"study", "studies", "pages", "explain", "practices", "report"}
)
NEWS_WORDS = frozenset(
    {"news", "headline", "headlines", "press", "latest", "recent", "current", "today", "week"}
    | {"announcement", "announcements", "announced", "release", "released", "trends", "updates"}
    | {"developments", "incident", "outage", "outages"}
)


def build_search_toolkit(engine: SearchEngine, faults: Faults) -> Toolkit:
    """COMPOSIO_SEARCH_WEB and COMPOSIO_SEARCH_NEWS over an engine."""

    async def search_web(_: Caller, arguments: WebArguments) -> Outcome:
        return Outcome(data=await engine.search_web(arguments))

    async def search_news(_: Caller, arguments: NewsArguments) -> Outcome:
        found = await engine.search_news(arguments)
        return Outcome(data={"results": found} if faults.nested_news else found)

    web = Tool.define(
        "COMPOSIO_SEARCH_WEB",
        WebArguments,
        search_web,
        title="Search the web",
        toolkit=SLUG,
        description=WEB_DESCRIPTION,
        tags=("readOnlyHint", "openWorldHint"),
        keywords=WEB_WORDS,
    )
    news = Tool.define(
        "COMPOSIO_SEARCH_NEWS",
        NewsArguments,
        search_news,
        title="Search the news",
        toolkit=SLUG,
        description=NEWS_DESCRIPTION,
        tags=("readOnlyHint", "openWorldHint"),
        keywords=NEWS_WORDS,
    )
    return Toolkit(
        slug=SLUG,
        name="Composio Search",
        description="Web and news search. Needs no account.",
        tools=(web, news),
        no_auth=True,
    )
