"""What people may say, change and take back while the bot works or waits (issue C)."""

ROWS = """
issue C §The inbox
    inbox.seen: A message in a busy thread gets a reaction before anything is done with it.
    inbox.reaches: A message in a busy thread reaches the model before its next call.
    inbox.order: Several messages reach the model in their order, each once.
    inbox.author: A message is told under its author's name.
    inbox.rights: Tools and sub-agents act for whoever wrote last before they were called.
    inbox.silent: A message that was taken in is told of in the progress, and not answered again.
    inbox.last_word: A message that comes with the last word gets an answer of its own.
    inbox.restart: What was taken in before a restart is neither lost nor taken in again.
    inbox.how_far: “How far are you?” is answered at once, and the work does not hear of it.

RELIABILITY R26
    stop.two_seconds: “stop” ends a turn within two seconds, whichever process hears it.
    stop.thinking: A stop aborts the call of a model that thinks.
    stop.working: A stop ends the tool call that runs, and says if it may have happened.
    stop.sub_agents: A stop ends the sub-agents.
    stop.waiting: A stop ends a wait for an answer.
    stop.behind: A stop ends what waits behind the work as well.
    stop.crash: A stop that was ordered before a crash holds after it.
issue C §The inbox
    stop.passes: “stop” waits for nothing that was said before it, and calls it off.
    stop.surface: A turn can be stopped without a message, by name.
    stop.continue: “continue” after a stop goes on with what was done.

RELIABILITY F-S9
    edits.disorder: Of a post and its edits the latest text counts, in whatever order they come.
    deletions.disorder: A deletion holds its post back even if it comes first.
    deletions.running: A request that is deleted stops its turn, which says so.
issue C §The inbox
    edits.before: An edit before the turn begins replaces the text.
    edits.running: An edit of a running request changes nothing, and its author is told once.
    deletions.before: A message that is deleted before its turn begins is not answered.

issue C §Waits
    waits.answer: The answer to a question becomes the result of the call that asked.
    waits.anybody: Somebody else may answer a question, and is named.
    waits.deploy: A question outlives restarts and a deploy that changed the workflow.
    waits.week: A question that nobody answered in a week ends, and can still be answered.
    waits.small_talk: Asking how far the bot is does not answer its question.
RELIABILITY R22
    waits.restart: A restart during a wait is not to be seen in the thread.
"""
