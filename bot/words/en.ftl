# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Digests

digest-understood = *{ $task }*
    { $when }, in { $channel }
    Next: { $next }
digest-only-news = I post only when there is something new.
digest-says-no-news = When there is nothing new, I say so in one line.
digest-shall-i = Shall I do that?
digest-in-private = our direct messages
digest-ask-time = At what time? For example “at 9:00” (your time zone is { $zone }).
digest-ask-day = On which days? For example “every Monday at 9:00”.
digest-ask-task = What should the digest be about?
digest-ask-channel = In which channel? Please name one, for example “in #news”.
digest-scheduled = Scheduled as digest { $n }, ordered by { $who }: *{ $task }*
    { $when }, in { $channel }
    Next: { $next }
digest-not-scheduled = Not scheduled.
digest-refusal-unreadable = I did not understand when. For example: “every weekday at 9:00”.
digest-refusal-unknown-zone = I do not know that time zone. For example: “9:00 Europe/Berlin”.
digest-refusal-too-often = That is too often: a digest may come every 15 minutes at most.
digest-refusal-never = That day does not come within ten years. Please name another one.
digest-refusal-over = All of these times are in the past.
digest-refusal-unknown-channel = I see no channel { $channel }. Invite me there, then ask again.
digest-refusal-bot-not-there = I am not in { $channel }. Invite me there, then ask again.
digest-refusal-not-allowed = I am not allowed to work in { $channel }.
digest-refusal-asker-not-there = You are not in { $channel }. Join it, then ask again.
digest-refusal-team-full = This workspace has { $n } digests. I may not keep more.
digest-refusal-place-full = { $channel } has { $n } digests. I may not keep more there.
digest-refusal-person-full = You have { $n } digests. I may not keep more for one person.
digest-refusal-not-yours = Only { $who }, who ordered it, and admins can change digest { $n }.
digest-refusal-not-yours-yet = Only { $who }, who ordered it, can decide that.
digest-refusal-not-there = There is no such digest. “List digests” shows them all.
digest-refusal-which = Which one do you mean? Name it by its number:
digest-refusal-already-running = Digest { $n } is being made right now.
digest-refusal-press-again = That took too long. Please press the button again.
digest-button-confirm = Confirm
digest-button-change = Change
digest-button-cancel = Cancel
digest-button-pause = Pause
digest-button-resume = Resume
digest-button-run = Run now
digest-button-edit = Edit
digest-button-delete = Delete
digest-button-new = New digest
digest-listed = Digests
digest-more = And { $n } more. Name one by its number: “edit digest 21”.
digest-none = There are no digests here. Ask for one, for example: “every weekday at 9 post a digest on battery storage in #energy”.
digest-paused = Digest { $n } (*{ $task }*) is paused. “Resume digest { $n }” starts it again.
digest-resumed = Digest { $n } (*{ $task }*) goes on. Next: { $next }
digest-deleted = Digest { $n } (*{ $task }*) is deleted. What it has posted stays.
digest-started = Digest { $n } (*{ $task }*) is being made now.
digest-changed = Digest { $n } is changed: *{ $task }*
    { $when }, in { $channel }
    Next: { $next }
digest-is-paused = paused
digest-is-paused-because = paused: { $why }
digest-is-over = over
digest-next-is = next: { $next }
digest-why-failing = it failed three times in a row
digest-why-owner-left = the person who ordered it has left the channel or the workspace
digest-why-place-closed = its channel is archived or gone
digest-why-not-in-place = I am not in its channel any more
digest-why-may-not-post = I may not post in its channel
digest-form-title = Digest
digest-form-task = What is it about?
digest-form-channel = In which channel?
digest-form-news = When there is nothing new
digest-news-post = Post all the same
digest-news-say-so = Say so in one line
digest-news-silent = Post nothing
digest-form-save = Save
digest-first = This is the first one.
digest-news-since = New since { $when }: { $count } of { $of }.
digest-no-news-since = Nothing new since { $when }.
digest-late = Late: this was due { $when }.
digest-left-out = { $n ->
    [one] { $n } earlier one was left out.
   *[other] { $n } earlier ones were left out.
 }
digest-new-mark = new
digest-by-hand = Made on request, beside its usual times.
digest-footer = Digest { $n } · { $when } · ordered by { $who } · reply here to go on with it
digest-failed = Digest { $n } (*{ $task }*) could not be made this time. I will try again.
digest-paused-because = Digest { $n } (*{ $task }*) is paused: { $why }. “Resume digest { $n }” starts it again.
digest-reads = I will read what is posted in { $reads }.
digest-reads-not = I may not read { $reads }. Until I am invited there, the digest will only say that.
digest-agree = To agree, press “Confirm” or answer “yes”.
digest-away = I cannot read that right now. If you want a digest, a form does it as well.
digest-form-days = On which days?
digest-form-time = At what time? For example 09:00 ({ $zone })
digest-form-time-unclear = Please write the time as 09:00.
