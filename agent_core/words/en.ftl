# What the core says to people. {$slot} is filled in by the code; a message id names its area first.

## Schedules: rules and moments in words

schedule-locale = en_GB
schedule-date = EEEE d MMMM y
schedule-moment = ccc d MMMM y, HH:mm
schedule-day = ccc d
schedule-day-month = ccc d MMMM
schedule-day-year = ccc d MMMM y
schedule-days-at = { $days } at { $time }
rule-every = { $kind ->
    [day] every day
    [workday] every weekday
    [weekend] every weekend
   *[days] every { $days }
 }
rule-weeks-apart = every { $n } weeks on { $days }
rule-days-apart = every { $n } days
rule-elapsed = { $unit ->
    [HOURLY] { $n ->
        [1] every hour
       *[other] every { $n } hours
     }
   *[MINUTELY] { $n ->
        [1] every minute
       *[other] every { $n } minutes
     }
 }
rule-workday = weekday
rule-day = day
rule-nth = on the { $nth } { $day } of each month
rule-on-nth = on the { $nth } { $day }
rule-ordinal = { $n ->
    [1] first
    [2] second
    [3] third
    [4] fourth
    [5] fifth
    [-1] last
    [-2] second to last
   *[other] { rule-date }
 }
rule-date = { $n ->
    [1] 1st
    [2] 2nd
    [3] 3rd
    [21] 21st
    [22] 22nd
    [23] 23rd
    [31] 31st
   *[other] { $n }th
 }
rule-month-day = on the { $days } of each month
rule-on-month-day = on the { $days }
rule-months-apart = every { $n } months { $on }
rule-yearly = { $n ->
    [1] every year on { $day } { $month }
   *[other] every { $n } years on { $day } { $month }
 }
rule-only-in = { $recurrence } in { $months }
rule-times = at { $times }
rule-until = until { $day }
rule-starting = from { $day }
## Ready answers

answer-help =
    Hi! Ask me a question or give me a task.

    - I answer from what I know, or search the web and read pages and files first.
    - For a report say what on, such as “write a report on heat pumps in old houses”: you get it as a file, with its sources.
    - Attach files and say what to do with them.
    - “Every weekday at 9 post a digest on battery storage” orders a digest; “digests” lists them.
    - In this thread a word is enough: your reply goes on from here, and “continue” takes up what is not finished.
answer-thanks = You're welcome!
answer-agreed = Thanks! Please decide on my request above with its buttons; only a click counts.
answer-aside-later = I can look into that once my request above is decided. If it should be different, just write what to change.
answer-nothing-running = I'm not working on anything here. To stop work elsewhere, write “stop” in that thread.
answer-noise = Your message has { $n } characters and no word in it, so there was nothing I could work on. Tell me in a few words what you need.
answer-declined = I cannot answer this one: my language model declined it.
answer-cut-off = (The answer was cut off here. Reply “continue” and I go on.)
answer-no-words = I finished without a word to say. Ask again, or reply “continue”.
answer-unanswered = Nobody answered my question above, so I stopped here. Reply with the answer and I go on.
answer-without-source = I found no source for this, and in this channel I only answer with one. Tell me where to look, or ask in another channel.
question-default = If nobody answers within { $n } minutes, I take this: { $default }

## What a thread's last request came to

state-answered = The last request in this thread is answered. Just write what comes next: a question, or what to change.
state-limited = I stopped early with the last request in this thread; it is not finished. Reply “continue” and I go on from there.
state-stopped = The last request in this thread was stopped. Reply “continue” and I go on from there, or ask something else.
state-failed = I could not finish the last request in this thread. Reply “continue” and I try again.

## Progress

progress-begun = I have just begun.
progress-model-away = I have been at it for { $time }, but my language model cannot be reached just now. I keep trying until { $until }; “stop” ends it.
progress-at-work = I have been at it for { $time }.
progress-read =
    { $n ->
        [one] I have been at it for { $time } and have read one page.
       *[other] I have been at it for { $time } and have read { $n } pages.
    }
progress-now-parts = Right now I am looking into { $what }.
progress-now-report = Right now I am writing the report.
progress-add = To add something, just write; “stop” ends it.
progress-wait-answer = I am waiting for an answer to my question above.
progress-wait-approval = I am waiting for a click on my request above.
progress-wait-connection = I am waiting until the account is connected: see my message above.

## Stops

stop-by = { $name } stopped this.
stop-now = Stopped.
stop-deleted = Stopped, because the message that asked for it was deleted.
stop-nothing = I had nothing to show yet.
stop-so-far = This is what I have so far:
stop-read = From the pages I have read:
stop-found = From search results, not read yet:
stop-more = and { $n } more
stop-saved = Already written: { $what }.
stop-left-out = Not looked at yet: { $what }.
stop-to-go-on = Reply “continue” and I go on from there.

## Notices beside an answer

notice-unsure = I cannot tell whether this was done: { $what }. Please check before it is done again.
deed-message = sending the message to { $whom }
deed-in-app = “{ $deed }” in { $app }
deed-plain = “{ $deed }”
notice-long-text = That was a long message ({ $n } characters). I took in all of it.
notice-files-gone = The earlier files of this thread are gone, so I started without them.
notice-transcript-gone = What was said here before has been deleted, so I started without it.
notice-too-late = This came too late for what I posted above, so I answer it by itself.
notice-nothing-read = I could not read any of the pages that I tried.
notice-keyless-search = I searched without Composio, in public search engines, so I may have missed some pages.
notice-file-broken = “{ $name }” is damaged, so I could not read it.
notice-file-empty = “{ $name }” is empty.
notice-file-encrypted = “{ $name }” is protected by a password; send me a copy without one.
notice-file-heic = I cannot look at “{ $name }”: it is a HEIC or AVIF picture. Send it as JPEG or PNG.
notice-file-no-text = I found no text in “{ $name }”; it may be a scan.
notice-file-old-office = “{ $name }” is in an old Office format; send it as .docx or .xlsx.
notice-file-too-big = “{ $name }” is too big or too intricate for me to read.
notice-file-unknown = “{ $name }” is of a kind that I cannot read.
notice-tools-away = I had to do without { $what }; I could not reach it just now. Asking again later may help.
notice-tools-away-now = Going on without { $what }: I cannot reach it just now
away-composio = the web search and your apps
away-local-toolkit = reading pages and writing reports
away-run-python = calculating

## Scheduled work

digest-task = Research { $task } and write a report.

## Failures

failure-too-long = This thread has become too long for me. Please start a new one and tell me what to carry over.
failure-truncated = What I wanted to write was too long for one go. Reply “continue” and ask for a smaller piece.
failure-rejected = My language model refused the request, and asking again would not help. Whoever runs me has to look at its key or limits.
failure-unavailable = My language model is not answering at the moment. What is done so far is kept: reply “continue” and I go on from there.
failure-other = Something went wrong on my side. What is done so far is kept: reply “continue” and I go on from there.
failure-set-aside = I broke down several times in the middle of this, so I have set it aside. Please ask for it in another way, or for a smaller piece of it.
failure-with-reference = { $reason } (reference { $mark })

## Short forms: whole messages that save a call, apart by commas

language-small-words = the a an of to in is are was and or for on with about what how why when which who please write me this that it do does can you my our from
polite-words = please, pls, hi, hello, hey, now, just, sorry, so, very
short-help = help, help me, I need help, can you help me, what can you do, what can you do for me, what do you do, how do you work
short-stop = stop, ok stop, stop now, stop it, stop that, stop this, stop everything, stop working, cancel, cancel it, cancel that, abort, never mind, nevermind, forget it
short-status = status, progress, how far are you, how is it going, how's it going, any progress, any update, are you still there, are you still working, are you done, how much longer, what are you doing, still there
short-thanks = thanks, thank you, thanks a lot, many thanks, thank you much, thanks much, thx, ty, ok thanks, great thanks, perfect thanks, cool thanks, got it thanks, thanks for your help, thank you for your help, great thank you
short-laughter = lol, haha, ha ha, hahaha, ha ha ha, hehe, heh, lmao, rofl
short-continue = continue, go on, go ahead, carry on, keep going, proceed, resume, do it, yes do it, yes continue, yes go on
short-wrap-up = Answer with what you have, answer now, answer with what you have so far, just answer with what you have
short-yes = yes, yep, yeah, yup, ok, okay, sure, go ahead, do it, yes do it, yes that's right, confirm, ok thanks, yes thanks, sounds good, agreed
short-no = no, nope, no thanks, don't, rather not
short-digests = digests, list digests, list the digests, list my digests, show digests, show the digests, show me the digests, my digests, which digests are there

## Interventions

done-by = Marked as done by { $name }.
intervention-comment = I said this about the part “{ $task }”: { $text }
intervention-content = I said this about the part “{ $task }”: { $text }
intervention-task = Instead of what I asked, do this: { $text }
intervention-retry = Do this part of the work again: { $task }

## Money

cap-what = { $kind ->
    [turn] this request has used up its budget of { $usd }
    [person] { $name } has used up this month's budget of { $usd }, and a new one begins on { $day }
    [thread] this thread has used up this month's budget of { $usd }, and a new one begins on { $day }
    [channel] this channel has used up this month's budget of { $usd }, and a new one begins on { $day }
   *[team] this workspace has used up this month's budget of { $usd }, and a new one begins on { $day }
 }
cap-person = somebody
cap-admin = whoever looks after me
cap-ended = I answer with what I have so far, because { $what }; { $who } can raise it.
cap-refused = I cannot take this on, because { $what }; { $who } can raise it before.
