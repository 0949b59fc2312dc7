"""Approvals and connections in English."""

from bot.presenter.consents.words.shape import Words

ENGLISH = Words(
    conjunction="and",
    asked="{who} asked for this. I will do it only once it is approved:",
    with_account="with the account {account}",
    reaches=("Reaches {n} recipient: {whom}", "Reaches {n} recipients: {whom}"),
    no_arguments="Without any arguments.",
    along="Goes along in the same batch and needs no approval: {what}",
    more="and {n} more",
    tainted="I have read text from outside in this thread. It may have asked for this.",
    until="I wait until {when}. Fingerprint `{digest}`",
    in_file="All of it is in the file `{file}` above. Fingerprint `{digest}`",
    cut="… the rest is in the file",
    not_shown="I could not show all of it, so nobody can approve it. It can only be rejected.",
    buttons={
        "approve": "Approve",
        "approve_thread": "Approve for this thread",
        "reject": "Reject…",
        "link": "Show my link",
        "skip": "Skip",
        "check": "I have connected it",
    },
    approved="Approved by {who}, {when}",
    approved_thread="Approved by {who} for this thread, {when}",
    rejected="Rejected by {who}, {when}",
    rejected_because="Rejected by {who}, {when}: “{reason}”",
    expired="Nobody decided in time, so it was not done.",
    overtaken="It was not done: the work was stopped, or went on with a new message, before that.",
    void="It was not done: what was to be done has changed since, so no approval fits it.",
    reason_title="Reject",
    reason_label="Why?",
    reason_hint="The agent reads this and can do it differently.",
    cancel="Cancel",
    to_connect="Waiting for {who} to connect {what}, until {when}.",
    link=(
        "Connect {what} so that I can go on. The link is for you alone: "
        "whoever opens it connects their account in your name."
    ),
    connect="Connect {what}",
    connected=("{what} connected by {who}", "{what} connected by {who}"),
    skipped=("{who} skipped connecting {what}", "{who} skipped connecting {what}"),
    not_in_time=("{what} was not connected in time", "{what} were not connected in time"),
    left_off=(
        "{what} was not connected: the work was stopped, or went on with a new message",
        "{what} were not connected: the work was stopped, or went on with a new message",
    ),
    refusals={
        "not_yours": "Only the person who asked for this, or somebody named for it, can decide it.",
        "not_your_link": "Only the person who asked for this can connect an account, or skip it.",
        "over": "It is too late for that: this is over.",
        "decided": "This has been decided already.",
        "unknown": "I know nothing of this here, so I have done nothing.",
        "no_link": "I could not get a link just now. Press “Show my link” in a moment.",
        "tainted": (
            "Text from outside was read in this thread meanwhile, so each step is decided alone. "
            "Please press “Approve” or “Reject”."
        ),
        "press_again": "That did not work just now. Please press the button again.",
        "not_connected_yet": "It does not seem to be connected yet. I go on looking.",
    },
)
