# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Digests

digest-understood = *{ $task }*
    { $when }, in { $channel }
    Next: { $next }
digest-only-news = I post only when there is something new.
digest-says-no-news = When there is nothing new, I say so in one line.
digest-shall-i = Shall I do that?
digest-repeats = Digest { $n }, ordered by { $who }, is about the same: *{ $task }*
    { $when }, in { $channel }
digest-in-private = our direct messages
digest-ask-time = At what time? For example “at 9:00” (your time zone is { $zone }).
digest-ask-day = On which days? For example “every Monday at 9:00”.
digest-ask-task = What should the digest be about?
digest-ask-channel = In which channel? Please name one, for example “in #news”.
digest-scheduled = Scheduled as digest { $n }, ordered by { $who }: *{ $task }*
    { $when }, in { $channel }
    Next: { $next }
digest-not-scheduled = Not scheduled.
digest-replaced = Replaced by the version below.
digest-refusal-unreadable = I did not understand when. For example: “every weekday at 9:00”.
digest-refusal-unknown-zone = I do not know that time zone. For example: “9:00 Europe/Berlin”.
digest-refusal-too-often = That is too often: a digest may come every 15 minutes at most.
digest-refusal-never = That day does not come within ten years. Please name another one.
digest-refusal-over = All of these times are in the past.
digest-refusal-place-closed = I see no channel { $channel }. Invite me there, then ask again.
digest-refusal-not-in-place = I am not in { $channel }. Invite me there, then ask again.
digest-refusal-switched-off = Digests are switched off in { $channel }. An admin or whoever manages the channel can switch them on.
digest-refusal-not-allowed = I am not allowed to work in { $channel }.
digest-refusal-owner-left = You are not in { $channel }. Join it, then ask again.
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
digest-button-keep-both = Keep both
digest-button-replace = Replace
digest-button-pause = Pause
digest-button-resume = Resume
digest-button-run = Run now
digest-button-edit = Edit
digest-button-delete = Delete
digest-from-home = Here is the digest that you asked for on my Home tab:
digest-button-new = New digest
digest-listed = Digests
digest-more = And { $n } more. Name one by its number: “edit digest 21”.
digest-none = There are no digests yet. Ask for one, for example: “every weekday at 9 post a digest on battery storage in #energy”.
digest-none-there = There are no digests in { $channel } yet.
digest-did-pause = Digest { $n } (*{ $task }*) is paused. “Resume digest { $n }” starts it again.
digest-did-resume = Digest { $n } (*{ $task }*) is on again. Next: { $next }
digest-did-delete = Digest { $n } (*{ $task }*) is deleted. What it has posted stays.
digest-did-run = Digest { $n } (*{ $task }*) is being made now.
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
digest-why-switched-off = digests are switched off in its channel
digest-why-may-not-post = I may not post in its channel
digest-form-title = Digest
digest-form-task = What is it about?
digest-form-channel = In which channel?
digest-form-news = When there is nothing new
digest-news-post = Post all the same
digest-news-say-so = Say so in one line
digest-news-be-silent = Post nothing
digest-form-save = Save
digest-first = First edition.
digest-news-since = New since { $when }: { $count } of { $of }.
digest-no-news-since = Nothing new since { $when }.
digest-late = Late: this was due { $when }.
digest-left-out = { $n ->
    [one] { $n } earlier one was left out.
   *[other] { $n } earlier ones were left out.
 }
digest-new-mark = new
digest-by-hand = Extra edition, made on request.
digest-footer = Digest { $n } · { $when } · ordered by { $who } · reply here to ask more
digest-failed = Digest { $n } (*{ $task }*) could not be made this time. I will try again.
digest-paused-because = Digest { $n } (*{ $task }*) is paused: { $why }. “Resume digest { $n }” starts it again.
digest-reads = I will read what is posted in { $reads }.
digest-reads-not = I may not read { $reads }. Until I am invited there, the digest will only say that.
digest-refusal-repeats = Please press one of the buttons above.
digest-away = I cannot read that right now. If you want a digest, a form does it as well.
digest-form-days = On which days?
digest-form-time = At what time? For example 09:00 ({ $zone })
digest-form-time-unclear = Please write the time as 09:00.
## Progress and answers

progress-working = Working on it
progress-ended-done = Done in { $time }
progress-ended-early = Worked for { $time }
progress-pages-read =
    { $n ->
        [one] { $n } page read
       *[other] { $n } pages read
    }
progress-earlier-steps =
    { $n ->
        [one] { $n } earlier step
       *[other] { $n } earlier steps
    }
progress-more-steps = and { $n } more
progress-trying-again = My language model is not answering; trying again
progress-model-away = My language model cannot be reached; I keep trying until { $time }. “stop” ends it.
progress-model-back = My language model was away and answers again
progress-model-gone = My language model could not be reached
progress-thinking = Thinking it over
progress-answer-now = Answer with what you have
progress-no-answer = I have no answer to give.
progress-failure = Something went wrong and I could not finish this.
progress-reference = Reference: { $what }
progress-no-file = I could not attach { $what }.
progress-whole-answer = The answer is long; the rest of it is in the attached file.
progress-sources = Sources:
progress-picture-of = First page of “{ $what }”
progress-not-in-thread = I could not answer in the thread, so here is the answer.
progress-took-in = { $who }: “{ $what }” — taken in
progress-changed = { $who } changed the task: “{ $old }” → “{ $new }”
progress-took-in-late = { $who }: “{ $what }” — too late for the report; say “continue” to work it in
progress-failed = That did not work; I go on without it
progress-stopped = Not approved
progress-cut = Not finished
progress-line = is working on it · { $time }
progress-line-looking = is looking at it
progress-waiting = Waiting for an answer
progress-waiting-for = Waiting for { $who }
progress-writing = Writing: { $what }
progress-writing-answer = Writing the answer
progress-report-ahead = Getting the report ready
progress-stop = Stop “{ $what }”
progress-stop-late = There is nothing left to stop: this part has ended already.
progress-stop-branch = { $who } stopped this part
progress-done-branch = { $who } marked this part as done
progress-retry-branch = { $who } wants this part again
progress-unsure = may or may not have happened
progress-purpose-check-accounts = Checking the connected accounts
progress-purpose-look-back = Looking through earlier work
progress-purpose-mend-post = Changing what I posted
progress-purpose-read-channel = Reading what was posted in { $what }
progress-purpose-find-tools = Finding the right apps
progress-purpose-read-file = Reading through the material
progress-purpose-read-pages = Reading { $what } and { $n } more
progress-purpose-read-page = Reading { $what }
progress-purpose-use-app = Working with { $what }
progress-purpose-run-code = Working with the data
progress-purpose-save-sources = Saving the sources
progress-purpose-search-news = Searching the news for { $what }
progress-purpose-search-sources = Searching the sources for { $what }
progress-purpose-search-web = Searching the web for { $what }
progress-purpose-upload-file = Handing over a file
progress-purpose-use-tool = Working on it
progress-purpose-write-file = Writing it down
progress-purpose-write-report = Writing the report

## A question about a post, from its menu

ask-title = Ask the agent
ask-what = What do you want to know?
ask-hint = Left empty: what it is about, and what there is to do.
ask-told = { $who } asks about this:
ask-default = What is this about, and what is there to do?
ask-about = About { $who }'s message: “{ $what }”
ask-which = this is about what { $who } wrote at { $at }
ask-app = an app
ask-not-there = I cannot answer there: I am not in that channel, or it is archived. Invite me, then try again.
ask-again = That took too long. Please try again, or mention me in the thread.

## Its own posts

surface-corrected = (corrected, as { $who } asked)

## Questions

question-choose = Pick one or type your answer.
question-answer-by = I wait for your answer until { $when }.
question-other = Other…
question-form-title = Your answer
question-form-send = Send
question-form-label = What should I know?
question-answered = { $who } answered: { $what }
question-default-taken = Nobody answered, so I went on with: { $what }
question-unanswered = No answer came.
question-default-option = { $what } (my pick)
question-over = Too late: this question was answered, or I went on without.
question-not-yours = I asked { $who } this, so only { $who } can answer it here. You can always write in the thread.
question-write-it = The form could not be opened just now. Please write your answer in the thread.

## Approvals and connections

consent-conjunction = and
consent-asked = { $who } asked for this. I will do it only once it is approved:
consent-with-account = with the account { $account }
consent-reaches =
    { $n ->
        [one] Reaches { $n } recipient: { $whom }
       *[other] Reaches { $n } recipients: { $whom }
    }
consent-language = en
consent-no-zone = no time zone is given: the app decides
consent-no-arguments = Without any arguments.
consent-along = Goes along in the same batch and needs no approval: { $what }
consent-more = and { $n } more
consent-tainted = I have read text from outside in this thread. It may have asked for this.
consent-owner-only = Several people had a word in this work, so only { $who } can decide on this, each time anew.
consent-until = Waiting until { $when }.
consent-in-file = All of it is in the file `{ $file }` above.
consent-fingerprint = Fingerprint `{ $digest }`
consent-not-shown = I could not show all of it, so nobody can approve it. It can only be rejected.
consent-sent-shown = Attached, and posted above: { $files }.
consent-sent-hidden = I cannot show you what would be sent along, so it cannot be approved: { $files }.
consent-button-approve = Approve
consent-button-approve-thread = Approve for this thread
consent-button-reject = Reject…
consent-button-edit = Edit…
consent-button-details = All details
consent-button-link = Show my link
consent-button-skip = Skip
consent-button-check = I have connected it
consent-decided-approved = Approved by { $who }, { $when }
consent-decided-approved-thread = Approved by { $who } for this thread, { $when }
consent-decided-rejected = Rejected by { $who }, { $when }
consent-decided-rejected-because = Rejected by { $who }, { $when }: “{ $reason }”
consent-decided-expired = Nobody decided in time, so it was not done.
consent-decided-overtaken = Not done: the work was stopped, or something new was written first.
consent-decided-replaced = Replaced by the request below.
consent-decided-void = It was not done: what was to be done has changed since, so no approval fits it.
consent-decided-edited = Changed by { $who }, { $when }
consent-changed = Changed: { $what } “{ $before }” → “{ $after }”
consent-changed-text = Changed: { $what }, as below
consent-reason-title = Reject
consent-reason-label = Why?
consent-reason-hint = The agent reads this, and may offer the changed call once.
consent-cancel = Cancel
consent-close = Close
consent-edit-title = Change before approving
consent-edit-save = Save
consent-part-to = To
consent-part-cc = Cc
consent-part-bcc = Bcc
consent-part-subject = Subject
consent-part-body = Text
consent-part-attachment =
    { $n ->
        [one] Attachment
       *[other] Attachments
    }
consent-part-title = Title
consent-part-start = Starts
consent-part-end = Ends
consent-part-zone = Time zone
consent-part-people = Invited
consent-part-place = Where
consent-part-about = About
consent-part-channel = Channel
consent-part-text = Message
consent-part-answer = My answer begins
consent-part-report = Its report
consent-part-asked = Asked
consent-part-correction = It will read
consent-own-remove = Remove an answer of mine for good
consent-own-correct = Correct an answer of mine
consent-own-account = Tell in this thread which accounts you have connected, and what you used
consent-own-read = Tell in this thread what was posted in a channel that you may read
consent-to-connect = Waiting for { $who } to connect { $what }, until { $when }.
consent-link = Connect { $what } so that I can go on. The link is for you alone: whoever opens it connects their account in your name.
consent-connect = Connect { $what }
consent-ended-connected =
    { $n ->
        [one] { $what } connected by { $who }
       *[other] { $what } connected by { $who }
    }
consent-ended-skipped =
    { $n ->
        [one] { $who } skipped connecting { $what }
       *[other] { $who } skipped connecting { $what }
    }
consent-ended-expired =
    { $n ->
        [one] { $what } was not connected in time
       *[other] { $what } were not connected in time
    }
consent-ended-overtaken =
    { $n ->
        [one] { $what } was not connected: the work was stopped, or went on with a new message
       *[other] { $what } were not connected: the work was stopped, or went on with a new message
    }
consent-refusal-not-yours = { $n ->
    [one] Only { $who } can decide this.
   *[other] One of these people has to decide this: { $who }.
 }
consent-refusal-not-your-words = Only { $who } can change these words; you can approve or reject it.
consent-refusal-not-your-link = Only { $who } can connect an account here, or skip it.
consent-refusal-busy = I am reading what was just written. Please press again in a moment.
consent-refusal-over = It is too late for that: this is over.
consent-refusal-decided = This has been decided already.
consent-refusal-unknown = I know nothing of this here, so I have done nothing.
consent-refusal-no-link = I could not get a link just now. Press “Show my link” in a moment.
consent-refusal-tainted = Text from outside was read in this thread meanwhile, so each step is decided alone. Please press “Approve” or “Reject”.
consent-refusal-press-again = That did not work just now. Please press the button again.
consent-refusal-not-connected-yet = It does not seem to be connected yet. I go on looking.
consent-refusal-not-editable = This cannot be changed here any more. Reject it and say what should be different.

## Ingress: what is said to people whose message is not simply answered

ingress-parked = Something failed on my side. I have your message and keep trying; no need to send it again.
ingress-begun = I had already begun; please write the correction as a new message.
ingress-refusal-unknown-user = I could not find out who you are in Slack, so I cannot work for you.
ingress-refusal-guest = You are here as a guest, and I can only work for full members of this workspace.
ingress-refusal-stranger = You belong to another workspace, and I can only work for members of this one.
ingress-refusal-channel-not-listed = I am not allowed to work in this conversation.
ingress-refusal-user-not-listed = You are not on the list of people I may work for.
ingress-in-vain = That did not work just now. Please try again in a moment.
ingress-left-out-too-big = I left out “{$name}”: it is bigger than {$max_mb} MB.
ingress-left-out-not-given = I left out “{$name}”: Slack did not let me download it.
ingress-left-out-not-saved = I left out “{$name}”: it could not be saved.
ingress-left-out-gone = I left out “{$name}”: it was deleted in Slack meanwhile.
ingress-left-out-rest = I am working on the rest of your message.
ingress-late = I was away when these messages came in, more than a day ago, so I have not answered them. If one still matters, please ask me again.
ingress-late-more = … and {$count} older ones.

## Home and the slash command

home-intro = I look things up, read, compare, write reports and work in your apps, for you and your team. Mention me in a channel, or write to me here.
home-waiting = Waiting for you
home-waits-question = A question
home-waits-approval = An approval
home-waits-connection = An account to connect
home-sessions = Your threads
home-no-sessions = Nothing yet. Mention me in a channel, or write to me here.
home-more = and { $n } more
home-stop = Stop
home-no = Keep
home-delete = Delete files
home-delete-sure = All files of this thread are deleted for good. The posts stay.
home-deleted = The files of that thread are deleted.
home-not-deleted = Work goes on in that thread, or it is under legal hold, so I have deleted nothing. Stop the work first.
home-not-yours = Only the person who began that thread can do this.
home-stopped = Stopped. What was found so far is in the thread.
home-nothing-running = I am not working on anything for you right now.
home-nothing-here = I am not working on anything for you in this channel.
home-in-private = in a private conversation
home-accounts = Connected accounts
home-no-accounts = No account is connected.
home-connect = Connect an app
home-disconnect = Disconnect
home-disconnect-sure = I can then no longer use { $what } for you, in no thread.
home-disconnected = { $what } is disconnected.
home-apps-away = Your accounts cannot be looked up right now. Please try again in a moment.
home-this-month = This month
home-usage =
    { $n ->
        [one] { $n } request
       *[other] { $n } requests
    }, { $reports ->
        [one] { $reports } report
       *[other] { $reports } reports
    }, { $pages ->
        [one] { $pages } page read
       *[other] { $pages } pages read
    }, { $minutes ->
        [one] { $minutes } minute of work
       *[other] { $minutes } minutes of work
    }
home-usage-tokens = { $usage }, { $tokens } tokens, ${ $cost }
home-usage-unpriced = { $usage } (without { $n } calls of models whose price I do not know)
home-recent = { $simple } % of the requests were answered at once ({ $fallbacks } % of fast answers were given up), half within { $half } s and 95 % within { $most } s. { $errors } % of what I tried in apps and on the web failed.
home-preferences = Preferences
home-language = Language of my answers to you
home-language-auto = The language you write in
home-digest-time = Usual time of new digests
home-erase = Delete everything about me
home-erase-what = *Your data:* threads that you began go with their files. In threads that others began, what you asked goes, and all that I wrote and made there. Your digests, preferences and ratings go too. Posts in Slack, accounts at Composio, backups and what is under legal hold stay, and the audit keeps ids.
home-erase-sure = I stop what works with your words and delete what I keep of you, for good. Posts in Slack, accounts at Composio, older backups and what is under legal hold stay.
home-erased =
    Deleted: what I kept of you in { $n ->
        [one] { $n } thread
       *[other] { $n } threads
     }, and your digests and preferences. { $left ->
        [0] Posts in Slack, accounts at Composio and older backups stay.
       *[other] Nothing was deleted in { $left } more: legal hold is on, or work went on there. Posts in Slack, accounts at Composio and older backups stay.
     }
home-team = Admin settings
home-follow-ups = Answer replies that don't mention me
home-channel = Choose a channel
home-follow-ups-meant = When it is meant for me
home-follow-ups-two-party = In threads of one person and me
home-follow-ups-mention = Never without a mention
home-buttons = You can change this on my Home tab.
home-help = Mention me in a channel or write to me, and I get to work. Here you can ask for:
    `{ $command } status` · what I am working on for you
    `{ $command } stop` · end my work for you in this channel
    `{ $command } schedules` · your digests
    `{ $command } connections` · your connected accounts
    `{ $command } usage` · what you used this month
    `{ $command } help` · this list
home-unknown = I do not know “{ $command } { $what }”. “{ $command } help” lists what there is; for a question or a task, mention me in a channel or write to me.
home-state-queued = waiting its turn
home-state-running = at work
home-state-waiting = waiting for an answer
home-state-answered = answered
home-state-limited = stopped early
home-state-stopped = stopped
home-state-failed = failed
home-prompt-report = Write a comprehensive report on keeping chat bots reliable
home-prompt-compare = Compare heat pumps, battery storage and wind power
home-prompt-news = What is new about batteries in the grid?
home-prompt-again = What is new about “{ $what }”?
home-prompt-digest = Every weekday at 9 post a digest on battery storage here

## Feedback on answers

feedback-up = Good answer
feedback-down = Bad answer
feedback-thanks = Thank you, noted.

## The live view

live-button = Open live view
live-link = <{ $url }|Open the live view> of this thread. The link is yours alone, works once, and is good for 10 minutes.
live-enter = Open as { $name }
live-off = The live view is off just now.
live-how = This page is private. In Slack, press “Open live view” below a progress post: it gives you a link of your own.
live-over = This link has been used, or is older than 10 minutes. Press “Open live view” in Slack for a new one.
live-not-yours = This live view is for members of this workspace who can see the thread.
live-not-from-here = Only pages of this address are answered.
live-no-file = There is no such file.
live-away = That cannot be done at the moment. Please try again.
live-asked = { $who } asked in the live view:
live-wrote = { $who } wrote in the live view:
live-picked = { $who } asks:
live-picked-before = That has been asked already: look further down in this thread.
live-again = Do this part again, please.
live-unreadable = That message cannot be read.
live-empty = There is nothing in it.
live-too-long = That is too long: it may have { $max } characters.
live-only-look = You can read along here, but not act.
live-too-fast = That was a lot at once. Please try again in a few seconds.
live-no-change = That would change nothing here.
live-not-asked = Nobody waits for this answer any more.
live-question-not-yours = I asked { $who } this, so only { $who } can answer it.
live-not-there = That part of the work is over, or is not there.
setting-proposal = This would hold from then on:
    { $wanted }
    Now it is:
    { $now }
    Nothing changes until an admin or whoever manages the channel presses the button.
setting-agree = Set it
setting-changed = { $who } changed how I work:
    { $values }
setting-name = { $name ->
    [instructions] How I answer
    [model] Model
    [tools] What I may use
    [follow_ups] Replies without a mention
    [budget] Budget a month
    [guests] Guests of the workspace
    [digests] Digests
    [approvals] What has an effect
    [cite_or_stay_silent] Answers without a source
    [footer] Pages, time and cost below an answer
    [keep_workspaces_days] Files are kept
    [keep_transcripts_days] Transcripts are kept
   *[keep_reports_days] Reports are kept
    }
setting-value = { $case ->
    [instructions-] in the language and length that fit
    [model-main] the main one
    [model-small] the small one
    [tools-all] all of them
    [follow_ups-meant] answered when they are meant for me
    [follow_ups-two_party] answered in threads of one person and me
    [follow_ups-mention] never answered
    [budget-] no limit
    [guests-true] may ask me
    [guests-false] may not ask me
    [digests-true] may be ordered
    [digests-false] may not be ordered
    [approvals-policy] as the rules say
    [approvals-ask] always asked first
    [approvals-refuse] never done
    [cite_or_stay_silent-true] are withheld
    [cite_or_stay_silent-false] are given
    [footer-true] shown
    [footer-false] not shown
    [keep_workspaces_days-] for ever
    [keep_transcripts_days-] for ever
    [keep_reports_days-] for ever
    [days] for { $value } days
    [budget] ${ $value }
   *[other] { $value }
    }
setting-line = • *{ setting-name }*: { $value } · _{ $origin ->
    [default] as usual
    [environment] from my configuration
    [team] for the whole team
    [channel] for this channel
    [thread] for this thread
   *[file] from my operator's file, which wins
    }_
setting-not-yours = { $who ->
    [NOBODY] Only an admin of the workspace can change that. Ask one to say it to me or to press the button.
   *[other] Only an admin of the workspace and <@{ $who }>, who manages this channel, can change that. Ask one of them to say it to me or to press the button.
    }
setting-in-file = *{ setting-name }* is set in my operator's file, which wins over what is said here. Whoever runs me can change it there.
setting-unknown = There is no setting *{ $name }*. Did you mean *{ $near }*?
setting-wrong = *{ setting-name }* cannot have that value. “What is set here?” shows what it is now.

why = { $state ->
    [queued] I have it, and work on it as soon as what came before it in the thread is done.
    [running] I am working on it.
    [waiting] I am waiting in the thread for a person to decide or answer.
    [answered] I answered it in its thread.
    [limited] I answered it in its thread with what I had when a limit was reached.
    [stopped] Somebody stopped the work on it.
    [failed] I could not do it, and said so in its thread.
    [steered] It came while I was at work in its thread, and became part of that work.
    [set_aside] I set it aside: each time I worked on it, I broke down. Please ask it in another way.
    [received] I have received it, and look at it as soon as I can.
    [settled] I dealt with it at once: it was about a digest, or a stop, or was deleted.
    [not_ours] It was not for me: it mentions me nowhere, and I have no part in its thread.
    [mention_only] In this place I only answer when I am mentioned.
    [two_party] In a thread of several people I only answer here when I am mentioned.
    [reaction] It was a thank-you, a laugh or the like, which I leave without an answer.
    [others] In a thread of several people it read as meant for somebody else. A mention makes sure.
    [unknown_user] I could not find out who wrote it.
    [guest] Its author is a guest, and I may only work for full members.
    [stranger] Its author belongs to another workspace.
    [deactivated] Its author's account is deactivated.
    [channel_not_listed] I am not allowed to work in that conversation.
    [user_not_listed] Its author is not on the list of people I may work for.
    [bot] An app wrote it, and I leave the posts of apps alone.
    [heard] I was listening when it came, and it was not for me: no mention, no thread of mine. What is older than a week I no longer know.
    [others_post] I only tell that to whoever wrote the message.
   *[unheard] I have not seen it. I may not be in that channel, or not have been running; what I missed I read up as soon as I run again.
}

## Money

answer-pages = { $n ->
    [one] one page
   *[other] { $n } pages
 }
cap-near = { $kind ->
    [person] { $who } has
    [thread] A thread in { $who } has
    [channel] { $who } has
   *[team] This workspace has
 } spent more than 80 % of this month's budget of { $usd }. Once it is used up, I finish what I am at with what I have and take nothing new on until next month, unless the budget is raised.
