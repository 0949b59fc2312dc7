"""The words of a post as its reader finds them: people by their names."""

from bot.inbound import InboundPost, mentioned_users, plain_text
from bot.slack_api import Identity, People, SlackError


class Reading:
    """Reads a post in the same way wherever it comes from, new or edited."""

    def __init__(self, people: People, identity: Identity) -> None:
        self._people = people
        self._bot_user = identity.bot_user

    async def text(self, post: InboundPost) -> str:
        """What the person typed; users whom Slack does not tell stay ids."""
        try:
            names = await self._people.names(mentioned_users(post.wire_text) - {self._bot_user})
        except SlackError:
            names: dict[str, str] = {}
        return self._plain(post, names)

    def words(self, post: InboundPost) -> str:
        """The same without looking anybody up."""
        return self._plain(post, {})

    def _plain(self, post: InboundPost, names: dict[str, str]) -> str:
        return plain_text(post.wire_text, bot_user=self._bot_user, names=names)
