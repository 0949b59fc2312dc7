"""Whether a post is for the bot. Pure."""

from typing import Literal

from bot.inbound import InboundPost

Address = Literal["ours", "not_ours", "ours_in_our_thread"]


def address(post: InboundPost, *, bot_user: str) -> Address:
    """Who the post speaks to, as far as the post itself tells.

    `ours_in_our_thread`: it is for the bot if the thread began with a mention of the bot.
    """
    if post.channel_type == "im" or post.mentions_bot:
        return "ours"
    if not post.is_reply or post.mentions_others:
        return "not_ours"
    return "ours" if post.parent_user == bot_user else "ours_in_our_thread"
