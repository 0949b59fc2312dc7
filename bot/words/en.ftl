# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.

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
