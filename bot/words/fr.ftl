# What the bot says in Slack. {$slot} is filled in by the code; a message id names its area first.
