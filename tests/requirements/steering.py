"""What people may say, change and take back while the bot works or waits (issue C)."""

ROWS = """
issue C §The inbox
    inbox.seen: A message in a busy thread gets a reaction while it waits.
    inbox.reaches: A message in a busy thread reaches the model before its next call.
    inbox.order: Several messages reach the model in their order, each once.
    inbox.author: A message is told under its author's name, and tools then act for that person.
    inbox.silent: A message that was taken in is told of in the progress, and not answered again.
    inbox.last_word: A message that comes with the last word gets an answer of its own.
    inbox.restart: What was taken in before a restart is neither lost nor taken in again.
    inbox.how_far: “How far are you?” is answered at once, and the work does not hear of it.

RELIABILITY R26
    stop.two_seconds: “stop” ends a turn within two seconds, whichever process hears it.
    stop.any_state: A stop ends the model's call, a tool's call, or the wait for an answer.
    stop.sub_agents: A stop ends the sub-agents.
    stop.behind: A stop ends what waits behind the work as well.
    stop.unsure: The words after a stop name what may or may not have happened.
    stop.crash: A stop that was ordered before a crash holds after it.
issue C §The inbox
    stop.passes: “stop” waits for nothing that was said before it, and calls it off.
    stop.surface: A turn can be stopped without a message.
    stop.continue: “continue” after a stop goes on with what was done.

RELIABILITY F-S9
    edits.disorder: Edits and deletions count in whatever order they come with their post.
    edits.deleted: A deleted request is not begun, and stops if it was.
issue C §The inbox
    edits.before: An edit before the turn begins replaces the text.
    edits.running: An edit of a running request changes nothing, and its author is told once.

issue C §Waits
    waits.answer: What anybody answers becomes the result of the call that asked.
    waits.deploy: A question outlives restarts and a deploy that changed the workflow.
    waits.week: A question that nobody answered in a week ends, and can still be answered.
"""
