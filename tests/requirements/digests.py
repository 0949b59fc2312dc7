"""Scheduled digests: orders, agreement, runs, what goes wrong (issue D)."""

ROWS = """
issue D §Asking in words
    digest.proposal: An order in words is answered with task, channel, rule and next three times.
    digest.zone: Times are those of the asker's time zone.
    digest.click: One click agrees; a second one, or one delivered twice, changes nothing.
    digest.click_by: Only who ordered a digest can agree to it.
    digest.question: What is unclear gets one question, over restarts too.
    digest.refused: What cannot be is refused with its reason.
    digest.reads: A digest about a channel reads its posts, or says that it may not.
    digest.language: Orders are read in any language and answered in four.
    digest.ordinary: Requests that only mention times are the agent's.
    digest.list: “digests” lists those that the asker may know of.
    digest.words: Digests are paused, resumed, run, edited and deleted in words.
    digest.menu: The list's menu does the same.
    digest.form: A form changes a digest, and says what is wrong with an entry.
    digest.rights: Members of the channel order; the owner and admins change.
    digest.limits: Digests are limited for a team, a channel and a person.

issue D §Each run
    digest.root: A run is one short post in the channel, its details and report in the thread.
    digest.reply: Replies in the thread of a digest go on with what was told.
    digest.alone: A run asks nobody, and shows nothing but its digest.
    digest.only_new: Where only news are wanted, a run without any posts nothing, or one line.
    digest.since: A digest says what is new since the one before.

RELIABILITY R24
    digest.restart: A slot is told once, over restarts and in the middle of a run.
    digest.dst: Each day has one digest, also when the clocks change.
    digest.late: After an absence comes one digest that says that it is late, never a burst.
    digest.processes: Of two processes one begins a slot.
    digest.jump: A clock that jumps ahead and back loses no slot.
    digest.overlap: A run does not begin while the one before goes on.
    digest.crowd: Digests that are due at the same moment begin in portions.
    digest.rare: A digest comes every 15 minutes at most.

issue D §Trouble is visible
    digest.failing: A failure is told in the order's thread and to the owner; three pause a digest.
    digest.back_off: After a failure the next run waits longer each time.
    digest.paused: The owner leaving, an archived channel, a removed bot pause a digest.
    digest.material: What a run reads or says changes no schedule.
"""
