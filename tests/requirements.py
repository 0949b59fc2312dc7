"""What the description (seeds/000 to 003) promises and the product keeps today, each with an id.

Tests name the ids that they prove, as `@pytest.mark.proves("trace.query")`; a row without a test,
and a test without its row, fail in tests/architecture. `python -m tests.requirements` prints the
rows with their tests. What is not built has no row.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.proofs import Proofs, read_proofs


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A promise, as it holds today."""

    id: str
    sentence: str
    source: str
    """Where the description says it: `seeds/<number> §<heading or topic>`."""
    decision: str = ""
    """What overrules the description there; empty where nothing does."""


ROWS = """
seeds/002 §1. classify_query() Function
    router.one_word: SIMPLE or COMPLEX counts in any case, whatever signs stand around it.
    router.unclear_is_complex: A verdict that holds neither word, or both, means COMPLEX.
    router.failure_is_complex: A classifier that fails, is late or says nothing means COMPLEX.
    router.no_tools: The classifier is asked without any tool.
    router.verdict_is_kept: The classifier's own words are kept beside the decision.
    router.prompt.simple: SIMPLE is explained as known already, without tools or earlier work.
    router.prompt.complex: COMPLEX is explained as tools, live data, code, sending or going on.
    router.prompt.one_word: The classifier is told to answer with the word alone.
seeds/002 §COMPLEX Queries (Tool Loop Path)
    router.assent_is_complex: “yes”, “proceed”, “continue” and their like are COMPLEX.
seeds/002 §SIMPLE Queries (Fast Path) | overruled by README (the classifier reads the history)
    router.history: The classifier sees the end of the thread beside the question.
seeds/002 §Potential Improvements | overruled by README (rules decide first)
    router.rules_first: What a rule decides costs no call of the classifier.
    router.own_model: The classifier has a model of its own, a smaller one by default.
seeds/002 §1. Overall Query Classification Flow
    router.once: A message is classified once, and the decision is announced once.
seeds/000 §3. Dual-Path Execution Router
    router.two_paths: A COMPLEX request goes to the loop, with its tools and sub-agents.
    router.session_goes_on: After an answer the thread takes the next message.
seeds/002 §2. handle_simple_query() Function
    fast_path.answers: A SIMPLE question is answered without the loop.
    fast_path.falls_back: A fast answer that asks for tools makes the turn COMPLEX.
    fast_path.fallback_event: The fallback is announced with its reason.
seeds/002 §2. SIMPLE Query Fast Path Execution
    fast_path.no_tool_calls: A turn on the fast path ends without a tool call.
    fast_path.streams: A fast answer is passed on while it is being written.
seeds/002 §4. Fallback from SIMPLE to COMPLEX Path
    fast_path.same_question: After a fallback the loop gets the same question, and tools.
    fast_path.clean_transition: Words of a fast answer that was given up are not in the history.
    fast_path.runs_nothing: No tool runs on the fast path, even if one is named there.
    fast_path.no_interruption: After a fallback the person gets the full answer without a gesture.
seeds/002 §1. Classification Overhead | overruled by ARCHITECTURE 10 (the speculative fast answer)
    fast_path.side_by_side: Classifier and fast answer are asked at the same time.
    fast_path.waits: Nothing of a fast answer leaves before the verdict.
    fast_path.dropped: Under COMPLEX the fast answer is cancelled and not heard of.

seeds/002 §3. COMPLEX Query Tool Loop Execution
    loop.ends: Steps follow each other until a reply calls no tool.
    loop.results_return: Results of tool calls are in the model's next request.
    loop.answer: The last reply's words are what the thread gets.
    loop.history: A later message of a thread is answered with what was said before it.
    loop.delegates: `Task` starts a sub-agent as a run of its own, whose words come back.
seeds/002 §4. Tool Execution Errors
    loop.error_is_a_result: A failing tool is a result for the model, and the run goes on.
seeds/003 §Composio Error Handling
    loop.structured_error: A structured error of an app reaches the model unchanged.
seeds/001 §Overview | overruled by README (tool_results/)
    loop.long_results: A result that is too long for the model is kept whole on disk.

seeds/000 §Key Characteristics | overruled by ARCHITECTURE 1 (one event stream)
    events.order: A turn's events come in one order, its start first and its end last.
    events.identity: No two stored events of a run share an identity.
    events.artifact: A finished file is announced before the call that made it ends.
    events.child_run: Events of a sub-agent carry its run and the run that asked for it.
seeds/000 §Discussion: System Context | overruled by ARCHITECTURE (Slack, not a terminal)
    thread.mention: A mention is a request, and its answer stands in the thread that it begins.
    thread.direct_message: A direct message is a request without a mention.
seeds/002 §4. main() Event Loop
    thread.reply: A reply in the thread is the next request of the same session.
    thread.continue: “continue” carries on where the thread stopped, also after a restart.
seeds/002 §3. run_conversation() Function
    thread.progress: The thread shows each tool call while it runs, and when it has ended.
    thread.sub_agents: Steps of a sub-agent stand below the call that started it.
seeds/000 §Detailed Flow: Main Event Loop
    thread.closing_figures: Work ends with a line on its time and its tool calls.
seeds/000 §1. Sub-Agent Delegation System
    thread.report: A finished report reaches the person as an HTML file, behind the answer.
seeds/000 §Process Architecture | overruled by ARCHITECTURE (names that the outside depends on)
    command.names: The command line knows `start` and `sandbox`.

seeds/001 §trace.json Structure
    trace.session_info.user_id: session_info.user_id is the person who asked.
    trace.session_info.timestamp: session_info.timestamp is when the request came.
    trace.trace_id: trace_id is the 32 hex digits under which the turn's spans are found.
    trace.query: query is the whole request.
    trace.start_time: start_time is written with microseconds and without a zone.
    trace.end_time: end_time is written like start_time.
    trace.total_duration_seconds: total_duration_seconds reaches from the start to the end.
    trace.tool_calls.iteration: A call names the step that made it.
    trace.tool_calls.name: A call has the tool's full name.
    trace.tool_calls.id: A call has the id that the model gave it.
    trace.tool_calls.time_offset_seconds: A call says how long after the start it was made.
    trace.tool_calls.input: A call has its arguments whole.
    trace.tool_calls.input_size_bytes: A call has the size of its arguments as JSON.
    trace.tool_results.tool_use_id: A result names its call.
    trace.tool_results.time_offset_seconds: A result says how long after the start it came.
    trace.tool_results.is_error: A result says whether the tool failed.
    trace.tool_results.content_size_bytes: A result has the size of its whole content.
    trace.tool_results.content_preview: A result shows its first 1,000 characters.
    trace.iterations.iteration: Iterations are the steps of the main agent, numbered from 1.
    trace.iterations.query: An iteration shows the first 200 characters of the request.
    trace.iterations.duration_seconds: An iteration's time includes that of its tool calls.
    trace.iterations.tool_calls: An iteration counts its tool calls.
    trace.logfire_enabled: logfire_enabled says whether Logfire got the spans.
    trace.types: Every field of a real turn's trace has the described type.
    trace.complete: Every tool call of a turn is in its trace, with its result.
seeds/001 §trace.json Structure | overruled by README (links to connect an account come later)
    trace.iterations.needs_user_input: needs_user_input is false.
    trace.iterations.auth_link: auth_link is null.
seeds/002 §4. Memory Management
    trace.tool_calls.input_preview: A call shows the first 2,000 characters of its arguments.
seeds/002 §3. run_conversation() Function
    trace.parent_tool_use_id: A sub-agent's call names the call that started its run.
seeds/001 §Session Completion
    trace.written: trace.json and summary.txt are there when a turn has ended.
seeds/001 §Session Completion | overruled by README (a session has many turns)
    trace.one_a_turn: trace.json is the last turn's, and earlier ones are kept in traces/.

seeds/001 §Workspace Root
    workspace.root: Sessions lie in AGENT_RUN_WORKSPACES unless a setting names another place.
    workspace.isolated: Two sessions never share a directory.
seeds/001 §Workspace Root | overruled by README (a session is a thread; a hash ends its name)
    workspace.name: A session's directory is session_YYYYMMDD_HHMMSS with a short hash.
    workspace.per_thread: A thread keeps its directory over turns and restarts.
seeds/001 §Complete Session Workspace
    workspace.directories: The described subdirectories are there from the beginning.
    work_products.name: A report's file is named <topic>_<month>_<year>.html.
    work_products.place: Reports lie in work_products/.
seeds/001 §Complete Session Workspace | overruled by README (“continue” makes the next version)
    work_products.versions: A further report on a topic is a new file, _v2 and so on.
seeds/000 §4. Workspace Management System
    workspace.absolute: A session's directory is known by its absolute path.
    workspace.in_prompts: Main agent and sub-agent are told CURRENT_SESSION_WORKSPACE.
seeds/001 §File Purpose Reference
    run_log.times: Each entry of run.log begins with its time.
    run_log.content: run.log tells request, route, tool calls, files and outcome.
    run_log.written: A real turn leaves request, tool calls and answer in run.log.
    summary.figures: summary.txt has request, route, time, steps, tokens and files of a turn.
    summary.by_tool: summary.txt counts the calls of each tool, and those that failed.
    summary.trace: summary.txt names the trace and where it can be seen.

seeds/001 §search_results/*.json Structure (News)
    search.news.type: type is "news".
    search.news.timestamp: timestamp is when the news result came, with microseconds.
    search.news.tool: tool is the slug of the news search.
    search.news.articles: Each of the articles has position, title, url and snippet.
    search.news.source: An article's source is the paper's name.
    search.news.date: An article's date is a day, as YYYY-MM-DD.
seeds/001 §search_results/*.json Structure (Web)
    search.web.type: type is "web".
    search.web.timestamp: timestamp is when the web result came, with microseconds.
    search.web.tool: tool is the slug of the web search.
    search.web.results: Each of the results has position, title, url and snippet, and no more.
seeds/001 §SERP Result Processing
    search.unwrapped: Hits are found in typed content, in `data`, in strings and bare.
    search.multi_execute: Each search inside a multi-execute becomes a file of its own.
    search.news_results: Hits under news_results are taken.
    search.organic_results: Hits under organic_results are taken.
    search.file_name: A file's name is the tool's slug and a time.
    search.unique: Two results never write the same file.
    search.tools_only: Search tools leave files, other tools none.
seeds/001 §Appendix: Code References
    search.relative_dates: “2 hours ago” and its like become a day.
seeds/001 §extracted_articles/*.json Structure
    articles.timestamp: timestamp is when the page was fetched.
    articles.source_url: source_url is the page's address.
    articles.title: title is the page's title.
    articles.description: description is what the page says of itself.
    articles.content: content is the first 10,000 characters of the text.
    articles.extraction_success: extraction_success says whether there was text.
    articles.file_name: A file's name is the page's domain and a time.
    articles.crawled: Each page that crawl_parallel could read leaves a file.
seeds/001 §2. Observer Pattern Data Writes
    articles.reader: A page that a webReader returned leaves a file as well.
    articles.reader_errors: A webReader's error leaves no file.
seeds/001 §expanded_corpus.json Structure
    corpus.extraction_timestamp: extraction_timestamp is UTC with microseconds and a Z.
    corpus.total_articles: total_articles counts all articles.
    corpus.successful: successful counts the articles with a text.
    corpus.failed: failed counts the articles without one.
    corpus.articles: Each article has url, title, content and status.
    corpus.status: status is "success" or "failed".
    corpus.content: content is the page's whole text, not a summary.
seeds/001 §workbench_activity/*.json Structure
    workbench.timestamp: timestamp is when the execution ended.
    workbench.tool: tool is the slug of the tool that ran the code.
    workbench.input.code: input.code is what ran.
    workbench.input.session_id: input.session_id is the sandbox's session.
    workbench.input.current_step: input.current_step is the step that the model named.
    workbench.input.thought: input.thought is the model's reason.
    workbench.output.stdout: output.stdout is what was printed.
    workbench.output.stderr: output.stderr is what was printed as an error.
    workbench.output.results: output.results is the value that came back, as text.
    workbench.output.successful: output.successful says whether it ran well.
    workbench.file_name: A file's name is workbench_ and a time.
    workbench.tools_only: Tools that run code leave files, other tools none.
seeds/001 §webReader_blacklist.json Structure (Persistent)
    blacklist.place: webReader_blacklist.json lies beside the sessions.
    blacklist.failures: Each domain has the number of its failures.
    blacklist.last_failure: Each domain has the time of its last failure.
    blacklist.threshold: threshold is 3, and the number in the file is what holds.
seeds/001 §Domain Blacklist Tracking
    blacklist.not_found_counts: A page that is not there counts against its domain.
    blacklist.passing_faults: Time-outs and a site's own errors do not count.
    blacklist.across_sessions: Failures are remembered by other sessions and processes.
    blacklist.blocks: A domain at the threshold is not asked any more.

seeds/000 §2. Observer Pattern System
    observers.beside: Telling observers returns at once, before they have looked.
    observers.side_by_side: One observer does not wait for another.
    observers.harmless: An observer that fails or hangs costs the turn nothing.
    observers.standard: Searches, articles and code runs each have their observer.
    observers.kept: What observers keep is on disk when the turn ends.
seeds/002 §5. Sub-Agent Compliance Violation
    compliance.no_corpus: In-depth work that read no page is corrected.
    compliance.not_saved: Pages that were read and not saved are corrected.
    compliance.nothing_read: A corpus in which no page has a text is corrected.
    compliance.simple_is_free: A simple report needs no corpus.
    compliance.injected: The correction is in the result that the delegating model sees.
    compliance.remedy: The correction says which calls are missing.
seeds/000 §1. Sub-Agent Delegation System
    subagent.ships: There is one sub-agent, report-creation-expert.
    subagent.inherits_model: Its definition inherits the main agent's model.
    subagent.mandatory: Its description makes it the target of every report.
    subagent.triggers: Its description names the words that call for it.
    subagent.context: It is told the day and its workspace.
    subagent.request_type: It reads pages for in-depth work and skips that otherwise.
    subagent.batches: It reads pages in batches of 10.
    subagent.hard_stop: It stops at 10 pages or after 2 batches.
    subagent.saves_corpus: It saves the corpus before a report on pages that it read.
    subagent.evidence: It is told to give numbers, dates, direct quotes and citations.
    subagent.definition: A sub-agent is a Markdown file with front matter.
seeds/003 §Configuration (main.py)
    subagent.task_arguments: Task takes description, prompt and subagent_type.
    subagent.main_only: The main agent alone may delegate.
seeds/003 §5. Tool Access Matrix
    access.save_corpus: save_corpus is the expert's and not the main agent's.
    access.write_local_file: write_local_file is for both.
    access.crawl_parallel: crawl_parallel is for both.
    access.search: Searching the web and the news is for both.
    access.send_email: Sending mail is the main agent's alone.
    access.remote_workbench: Running remote code is the main agent's alone.
    access.enforced: What an agent may not use it neither sees nor can run.

seeds/003 §Tool Invocation Pattern
    tools.names: The model sees a tool as mcp__<server>__<tool>.
    tools.schemas: A tool's description and schema reach the model.
seeds/003 §1. Local Toolkit MCP Server (Custom)
    toolkit.stdio: The toolkit is a process of its own, spoken to over stdio.
    toolkit.child: The bot starts the toolkit as its child, under the name local_toolkit.
seeds/003 §1.1 save_corpus()
    save_corpus.arguments: It takes articles and workspace_path.
    save_corpus.articles: An article may be given with url, title, content and status.
    save_corpus.answer.success: success says whether any article has a text.
    save_corpus.answer.corpus_path: corpus_path is the corpus's absolute path.
    save_corpus.answer.articles_saved: articles_saved counts all articles of the corpus.
    save_corpus.answer.successful: successful and failed count the articles of each kind.
    save_corpus.answer.total_content_bytes: total_content_bytes is the size of all texts.
seeds/003 §1.1 save_corpus() | overruled by ARCHITECTURE 12 (the evidence is ours)
    save_corpus.evidence: Texts come from what was fetched, whatever the caller writes.
    save_corpus.not_fetched: A page that was never fetched is saved as failed.
seeds/003 §1.2 write_local_file()
    write_local_file.arguments: It takes path and content, and needs both.
    write_local_file.paths: A path may be relative to the session or absolute.
    write_local_file.answer: It answers how many characters it wrote, and where to.
seeds/003 §1.2 write_local_file() | overruled by ARCHITECTURE 11 (no HTML from the model)
    write_local_file.html: A page that the model wrote is not handed to the person.
seeds/003 §1.6 crawl_parallel()
    crawl.arguments: crawl_parallel takes urls and session_dir.
    crawl.parallel: Ten pages are asked for at the same time.
    crawl.cleaned: Menus, advertising and the site's own notices are left out.
    crawl.markdown: Headings, lists, tables and code of a page become Markdown.
    crawl.saved: Each page that was read is a Markdown file in search_results/.
    crawl.failures: A page that could not be read has a row with the reason, and no file.
seeds/003 §1.6 crawl_parallel() | overruled by README (a browser comes with a later version)
    crawl.needs_browser: A page without text unless scripts run is reported as such.
seeds/003 §File System Boundaries | overruled by ARCHITECTURE 14 (meta names the session)
    files.own_session: A call reaches no file of another session, whatever path it names.
    files.own_directory: A directory argument must name the call's own session.
    files.records: Records of the system cannot be written by the model.
seeds/003 §2. Composio MCP Server (Remote Tool Router)
    composio.api_key: Requests to Composio carry the key as x-api-key.
    composio.session_url: Tools come from the address that the person's session names.
    composio.http: An HTTP server gets the configured headers with every request.
seeds/003 §9. Environment Variables | overruled by ARCHITECTURE 8 (the asker's own account)
    composio.per_person: Each person has a session and accounts of their own.
    composio.no_shared_user: Without an asker, or as `default`, no account is used.
    settings.no_user_id: No setting names a user whose accounts serve everybody.
    settings.composio_api_key: COMPOSIO_API_KEY is read, and may be missing.
    settings.logfire_token: LOGFIRE_TOKEN is read, and without it nothing is sent.
seeds/002 §Environment Variables
    settings.zai_api_key: ZAI_API_KEY alone leads to Z.AI's address, as a bearer token.
seeds/003 §API Key Management
    settings.env_file: Settings are read from .env, which is not in the repository.

seeds/000 §1. Sub-Agent Delegation System
    report.order: A report has summary, themed sections and sources, in this order.
    report.contents: A report has contents that lead to each of its sections.
    report.boxes: A report has info boxes.
    report.gradient: A report's head stands on a gradient.
    report.html: A report is an HTML file.
    report.snippets: A simple report stands on search results, and says so.
    report.cited: A citation leads to its source in the list.
seeds/000 §1. Sub-Agent Delegation System | overruled by ARCHITECTURE 11 (Markdown, our template)
    report.checked: A report that cites what was not fetched is refused and not written.
    report.says_what_its_sources_say: Figures that stand on no cited source are named.
    report.inert: Markup from outside is text in a report.
    report.extended: “continue: add …” makes the report's next version.
seeds/002 §System Prompt Components
    prompt.time: The main agent is told that today's date holds, whatever it remembers.
    prompt.proceed: The main agent is told when to go on and when to ask.
    prompt.data_flow: The main agent is told to take data directly, remote only above 5 MB.
    prompt.delegation: The main agent is told to leave reports to the sub-agent.
    prompt.places: The main agent is told that local and remote paths do not mix.
seeds/003 §2.1 Search & Research Tools
    prompt.discovery: The main agent is told to find a tool and its schema before it calls it.

seeds/002 §Logfire Spans
    spans.root: A turn's root span is standalone_composio_test, and all others are in its trace.
    spans.query_started: query_started marks the request.
    spans.query_classification: query_classification carries the decision.
    spans.conversation_iteration: Each step has its span conversation_iteration_N.
    spans.tool_call: tool_call names tool and call, within its step.
    spans.tool_result: tool_result has the content's size and whether it is an error.
    spans.reasoning: reasoning marks words of the model within a step.
    spans.thinking: thinking marks that the model thought.
    spans.fast_path_fallback: fast_path_fallback says why a fast answer was given up.
    spans.session_complete: session_complete marks the end, also of a turn that failed.
seeds/002 §2. SIMPLE Query Fast Path Execution
    spans.direct_answer: direct_answer marks an answer on the fast path.
seeds/000 §5. Distributed Tracing System
    spans.compliance: subagent_compliance_message_injected marks a correction.
    spans.observer_artifact_saved: observer_artifact_saved has path, kind and size of the file.
    spans.scrubbed: Secrets of known shapes are taken out before spans leave.
seeds/003 §Distributed Tracing (Logfire)
    spans.mcp: Each MCP request has a span in the turn's trace, with method and tool.
    spans.trace_url: A trace's address is that of the Logfire project with the trace's id.
"""


def _read(rows: str) -> Iterator[Requirement]:
    """The rows of the table: a line without an indent names the source of those below it."""
    source = decision = ""
    for line in filter(None, rows.splitlines()):
        if line.startswith(" "):
            id, _, sentence = line.strip().partition(": ")
            yield Requirement(id=id, sentence=sentence, source=source, decision=decision)
        else:
            source, _, decision = line.partition(" | overruled by ")


REQUIREMENTS = tuple(_read(ROWS))


def table(rows: Sequence[Requirement], proofs: Proofs) -> str:
    """Each row with its source and its tests, and in the last line how many there are."""
    lines: list[str] = []
    for row in rows:
        overruled = f", overruled by {row.decision}" if row.decision else ""
        tests = proofs.of(row.id) or ("no test",)
        lines += [f"{row.id}: {row.sentence}", f"    {row.source}{overruled}"]
        lines += [f"    {test}" for test in tests]
    unproved = sum(not proofs.of(row.id) for row in rows)
    lines.append(f"{len(rows)} requirements, {unproved} of them without a test")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table(REQUIREMENTS, read_proofs(Path(__file__).parents[1])))
