# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Ready answers

answer-help =
    Here I am. Give me a question or a task, and I get to work.

    - I answer from what I know, or search the web and read pages and files first.
    - For a report say what on, such as “write a report on heat pumps in old houses”: you get it as a file, with its sources.
    - Attach files and say what to do with them.
    - “Every weekday at 9 post a digest on battery storage” orders a digest; “digests” lists them.
    - In this thread a word is enough: your reply goes on from here, and “continue” takes up what is not finished.
answer-thanks = You are welcome! If there is more I can do, a few words are enough.
answer-nothing-running = Nothing is running in this thread. If I am at work in another one, please reply there.
answer-noise = Your message has { $n } characters and no word in it, so there was nothing I could work on. Tell me in a few words what you need.
answer-unanswered = Nobody answered my question above, so I stopped here. Reply with the answer and I go on.

## What a thread's last request came to

state-answered = The last request in this thread is answered. A word is enough to go on: ask the next question, or say what to change or to look into.
state-limited = The last request in this thread stopped at a limit and is not finished. A word is enough: reply “continue” and I go on from there.
state-stopped = The last request in this thread was stopped. A word is enough: reply “continue” and I go on from there, or ask something else.
state-failed = The last request in this thread could not be finished. A word is enough: reply “continue” and I try again from there.

## Progress

progress-at-work = I have been at work for { $time }.
progress-at-work-done = I have been at work for { $time }, with { $done } so far.
progress-under-way = Under way right now: { $what }.
progress-at-model = I am waiting for the model's reply.
progress-add = A word is enough to add something, “stop” ends it.
progress-waiting = I am waiting for an answer to my question above.
progress-begun = I have just begun.
progress-steps = { $n ->
    [one] { $n } step
   *[other] { $n } steps
}
progress-calls = { $n ->
    [one] { $n } tool call
   *[other] { $n } tool calls
}
progress-both = { $steps } and { $calls }

## Stops

stop-by = Stopped, as { $name } asked.
stop-now = Stopped.
stop-deleted = Stopped, because the message that asked for it was deleted.
stop-until-then = Until then: { $done }.
stop-saved = Saved: { $what }.
stop-left-out = Not begun any more: { $what }.
stop-to-go-on = Reply “continue” and I go on from there.

## Notices beside an answer

notice-unsure = What may or may not have happened: { $what }. Please look before it is done again.
notice-long-text = Your message has { $n } characters; I took in all of it.
notice-long-text-kept = Your message has { $n } characters; I took in all of it and saved it as `{ $path }`.
notice-new-workspace = The files of this thread were gone; I started a new workspace.
notice-nothing-read = I could not read any of the pages that I tried.

## Scheduled work

digest-task = Research { $task } and write a report.

## Failures

failure-too-long = This thread has become too long for my language model. Please start a new thread and tell me what to carry over.
failure-truncated = What I wanted to write was longer than my language model can write in one go. Reply “continue” and ask for a smaller piece.
failure-rejected = My language model refused the request, and asking again would not help. Whoever runs me has to look at its key or limits.
failure-unavailable = My language model is not answering at the moment. What is done so far is kept: reply “continue” and I go on from there.
failure-other = Something went wrong on my side. What is done so far is kept: reply “continue” and I go on from there.
failure-with-reference = { $reason } (reference { $mark })
