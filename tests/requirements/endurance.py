"""What outlives crashes, a failing Slack, other processes and a database in trouble (issue C)."""

ROWS = """
RELIABILITY R22
    crashes.lost: A bot that is killed, wherever it is, loses no request and finishes its work.
issue C §Finished steps
    crashes.paid_once: A step that was finished is not paid again after a crash.
    crashes.model_calls: No more model calls are repeated than there were deaths.
    effects.once: A call that may have had an effect is not made again after a crash.
    effects.reads: A call that only reads is made again after a crash.
    effects.told: A call that may or may not have happened is marked as such in the thread.
RELIABILITY R13
    effects.whole_calls: A call whose stream was cut is not run.
RELIABILITY F-D5
    crashes.new_code: A turn that new code cannot replay goes on from its history.
issue C §Checks 3
    sandbox.kill_at: A sandbox whose bot is killed at events gives one answer and one report.

RELIABILITY R8
    posts.crash: After a crash anywhere no post is there twice, and none is missing.
    posts.in_flight: A request of a dead process is waited for before the thread is read.
RELIABILITY R9
    posts.every_write: Each kind of write is seen once, whatever Slack does with the request.
RELIABILITY F-W1
    posts.read_back: A post whose answer was lost is found by its op id and not made again.
RELIABILITY F-W2
    posts.limits: Under a limit edits give way, and the answer is posted in the end.
RELIABILITY F-W3
    posts.failing: The answer is posted once although Slack fails or sends a page.
RELIABILITY F-W4
    posts.refused: What Slack refuses comes as text, as a file, or directly to the asker.
RELIABILITY F-W5
    posts.left_open: No progress post or sign of a dead process says for ever that it works.
RELIABILITY F-W6
    uploads.once: After a crash or a lost answer each file is there once.
RELIABILITY F-W7
    posts.time_limit: A call of the Web API that hangs ends at its limit.

RELIABILITY R23
    processes.one_session: Processes that share the threads work on each of them once.
    processes.steered: What one process receives steers and stops what another one works on.
    processes.writes: A process that lost its session writes no more to Slack for it.
RELIABILITY F-P2
    processes.suspended: A process that was suspended does nothing for what another one took.
issue C §Several processes
    processes.taken_over: The turns of a dead process are taken over within 30 seconds.
    processes.handed_over: A process that ends in order hands its work over at once.
RELIABILITY F-D1
    processes.sqlite: While a process uses an SQLite file, a second is refused and told of it.
    database.locked: Work waits for a locked database, and is done once.
RELIABILITY R25
    database.full: A full disk in the middle of turns loses nothing, and doubles nothing.
RELIABILITY F-D4
    database.restarted: Postgres may restart in the middle of work: all is there, once.

RELIABILITY F-D3
    migrations.newer: A database newer than the code is refused, with the backup to go back to.
    migrations.damaged: A half-migrated or damaged database is refused by what is wrong with it.
issue C §Migrations
    migrations.at_once: Processes that start at once bring older tables up to date, rows and all.
    migrations.copy: An older file is copied before it is altered, and never over another copy.
    migrations.failed: An upgrade that fails leaves all as it was.

RELIABILITY R43
    shutdown.in_time: A bot that is told to stop ends within 20 seconds, whatever hangs.
    shutdown.resumed: What a stopped bot was working on is finished at its next start.
"""
