"""What a person reads when a turn could not be finished. Never a raw error."""

from agent_core.errors import ModelRejected, ModelUnavailable, ReplyTruncated, RequestTooLarge


def apology(error: BaseException, reference: str) -> str:
    """A plain sentence for an error, with the reference an operator finds it by."""
    match error:
        case RequestTooLarge():
            reason = (
                "This thread has become too long for my language model. "
                "Please start a new thread and tell me what to carry over."
            )
        case ReplyTruncated():
            reason = (
                "What I wanted to write was longer than my language model can write in one go. "
                "Reply “continue” and ask for a smaller piece."
            )
        case ModelRejected():
            reason = (
                "My language model refused the request, and asking again would not help. "
                "Whoever runs me has to look at its key or limits."
            )
        case ModelUnavailable():
            reason = (
                "My language model is not answering at the moment. What is done so far is kept: "
                "reply “continue” and I go on from there."
            )
        case _:
            reason = (
                "Something went wrong on my side. What is done so far is kept: "
                "reply “continue” and I go on from there."
            )
    return f"{reason} (reference {reference})"
