"""Observers, the sub-agent, tools, reports, prompts and spans (seeds/000 to 003)."""

ROWS = """
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
    told subagent.mandatory: Its description makes it the target of every report.
    told subagent.triggers: Its description names the words that call for it.
    subagent.context: It is told the day and its workspace.
    told subagent.request_type: It reads pages for in-depth work and skips that otherwise.
    told subagent.batches: It reads pages in batches of 10.
    told subagent.hard_stop: It stops at 10 pages or after 2 batches.
    told subagent.saves_corpus: It saves the corpus before a report on pages that it read.
    told subagent.evidence: It is told to give numbers, dates, direct quotes and citations.
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
    told prompt.time: The main agent is told that today's date holds, whatever it remembers.
    told prompt.proceed: The main agent is told when to go on and when to ask.
    told prompt.data_flow: The main agent is told to take data directly, remote only above 5 MB.
    told prompt.delegation: The main agent is told to leave reports to the sub-agent.
    told prompt.places: The main agent is told that local and remote paths do not mix.
seeds/003 §2.1 Search & Research Tools
    told prompt.discovery: The main agent is told to find a tool and its schema before it calls it.

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
