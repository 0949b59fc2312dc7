"""How a request is routed, worked on and shown in its thread (seeds/000, 002)."""

ROWS = """
seeds/002 §1. classify_query() Function
    router.one_word: SIMPLE or COMPLEX counts in any case, whatever signs stand around it.
    router.unclear_is_complex: A verdict that holds neither word, or both, means COMPLEX.
    router.failure_is_complex: A classifier that fails, is late or says nothing means COMPLEX.
    router.no_tools: The classifier is asked without any tool.
    router.verdict_is_kept: The classifier's own words are kept beside the decision.
    told router.prompt.simple: SIMPLE is explained as known already, without tools or earlier work.
    told router.prompt.complex: COMPLEX is explained as tools, live data, code, sending or going on.
    told router.prompt.one_word: The classifier is told to answer with the word alone.
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
"""
