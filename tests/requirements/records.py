"""What a turn leaves in its session's directory (seeds/001, 002)."""

ROWS = """
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
"""
