# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

## Progress and answers

progress-working = Working on it
progress-ended-done = Done in { $time }
progress-ended-limited = Stopped at a limit after { $time }
progress-ended-stopped = Stopped after { $time }
progress-ended-failed = Failed after { $time }
progress-tool-calls =
    { $n ->
        [one] { $n } tool call
       *[other] { $n } tool calls
    }
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
progress-trying-again = The model is busy; trying again
progress-thinking = Thinking about the next step
progress-no-answer = I have no answer to give.
progress-failure = Something went wrong and I could not finish this.
progress-reference = Reference: { $what }
progress-no-file = I could not attach { $what }: { $why }.
progress-file-refusal-no-uploads = file uploads are switched off in this workspace
progress-file-refusal-no-room = this workspace has no room left for files
progress-file-refusal-no-such-type = files of this type are not allowed in this workspace
progress-file-refusal-too-big = it is bigger than this workspace allows
progress-file-refusal-no-scope = I am not allowed to upload files in this workspace
progress-file-refusal-other = Slack did not take it
progress-file-refusal-not-public = it is not a file for handing out
progress-file-refusal-unreadable = it cannot be read
progress-file-refusal-not-plain = it is not a plain file
progress-file-refusal-empty = it is empty
progress-file-refusal-too-big-for-us = it is bigger than 50 MB
progress-whole-answer = The answer is long; the rest of it is in the attached file.
progress-not-in-thread = I could not answer in the thread, so here is the answer.
progress-waiting-answer = Waiting for { $who }'s answer
progress-waiting-approval = Waiting for { $who }'s decision
progress-waiting-connection = Waiting for { $who } to connect { $what }
progress-asked-answer = Asked { $who } a question after { $time }
progress-asked-approval = Asked { $who } for an approval after { $time }
progress-asked-connection = Asked { $who } to connect { $what } after { $time }
progress-choose = Answer with a number or in your own words.
progress-answer-by = I wait for your answer until { $when }.
progress-took-in = Took in { $who }'s message: { $what }
progress-answered-by = { $who } answered: { $what }
progress-unsure = may or may not have happened
progress-unsure-steps =
    { $n ->
        [one] { $n } step may or may not have happened
       *[other] { $n } steps may or may not have happened
    }
progress-purpose-ask-agent = Asking the { $what }
progress-purpose-ask-report-expert = Asking the report expert
progress-purpose-ask-user = Asking you a question
progress-purpose-check-accounts = Checking the connected accounts
progress-purpose-find-tools = Looking for the right tools
progress-purpose-list-files = Looking through the files
progress-purpose-read-file = Reading { $what }
progress-purpose-read-pages = Reading { $n } pages
progress-purpose-run-code = Working with the data
progress-purpose-save-sources = Saving the sources
progress-purpose-search-news = Searching the news for { $what }
progress-purpose-search-sources = Searching the sources for { $what }
progress-purpose-search-web = Searching the web for { $what }
progress-purpose-upload-file = Handing over a file
progress-purpose-use-tool = { $what }
progress-purpose-write-file = Writing { $what }
progress-purpose-write-report = Writing the report

## Approvals and connections

consent-conjunction = and
consent-asked = { $who } asked for this. I will do it only once it is approved:
consent-with-account = with the account { $account }
consent-reaches =
    { $n ->
        [one] Reaches { $n } recipient: { $whom }
       *[other] Reaches { $n } recipients: { $whom }
    }
consent-no-arguments = Without any arguments.
consent-along = Goes along in the same batch and needs no approval: { $what }
consent-more = and { $n } more
consent-tainted = I have read text from outside in this thread. It may have asked for this.
consent-until = I wait until { $when }. Fingerprint `{ $digest }`
consent-in-file = All of it is in the file `{ $file }` above. Fingerprint `{ $digest }`
consent-cut = … the rest is in the file
consent-not-shown = I could not show all of it, so nobody can approve it. It can only be rejected.
consent-button-approve = Approve
consent-button-approve-thread = Approve for this thread
consent-button-reject = Reject…
consent-button-link = Show my link
consent-button-skip = Skip
consent-button-check = I have connected it
consent-decided-approved = Approved by { $who }, { $when }
consent-decided-approved-thread = Approved by { $who } for this thread, { $when }
consent-decided-rejected = Rejected by { $who }, { $when }
consent-decided-rejected-because = Rejected by { $who }, { $when }: “{ $reason }”
consent-decided-expired = Nobody decided in time, so it was not done.
consent-decided-overtaken = It was not done: the work was stopped, or went on with a new message, before that.
consent-decided-void = It was not done: what was to be done has changed since, so no approval fits it.
consent-reason-title = Reject
consent-reason-label = Why?
consent-reason-hint = The agent reads this and can do it differently.
consent-cancel = Cancel
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
consent-refusal-not-yours = Only the person who asked for this, or somebody named for it, can decide it.
consent-refusal-not-your-link = Only the person who asked for this can connect an account, or skip it.
consent-refusal-over = It is too late for that: this is over.
consent-refusal-decided = This has been decided already.
consent-refusal-unknown = I know nothing of this here, so I have done nothing.
consent-refusal-no-link = I could not get a link just now. Press “Show my link” in a moment.
consent-refusal-tainted = Text from outside was read in this thread meanwhile, so each step is decided alone. Please press “Approve” or “Reject”.
consent-refusal-press-again = That did not work just now. Please press the button again.
consent-refusal-not-connected-yet = It does not seem to be connected yet. I go on looking.

## Ingress: what is said to people whose message is not simply answered

ingress-parked = Something failed on my side, so I could not start on your message yet. I have kept it and keep trying; you need not send it again.
ingress-begun = I had already begun with your message; write the correction as a new message.
ingress-refusal-unknown-user = I can only work for members of this workspace whom Slack lets me look up.
ingress-refusal-guest = I can only work for full members of this workspace, and you are here as a guest.
ingress-refusal-stranger = I can only work for members of this workspace, and you belong to another one.
ingress-refusal-channel-not-listed = I am not allowed to work in this conversation.
ingress-refusal-user-not-listed = You are not on the list of people I may work for.
ingress-left-out-too-big = I left out “{$name}”: it is bigger than {$max_mb} MB.
ingress-left-out-not-given = I left out “{$name}”: Slack did not let me download it.
ingress-left-out-not-saved = I left out “{$name}”: it could not be saved.
ingress-left-out-rest = I am working on the rest of your message.
ingress-late = I was not running when these messages came in. They are more than a day old, so I have not answered them. If an answer still matters, please ask me again.
ingress-late-more = … and {$count} older ones.
