"""How many characters of text a payload holds."""

from bot.sandbox.slack.wire import as_array, as_object


def count_text(value: object) -> int:
    """The characters of all texts in blocks, at any depth."""
    if (items := as_array(value)) is not None:
        return sum(count_text(item) for item in items)
    if (fields := as_object(value)) is None:
        return 0
    text = fields.get("text")
    own = len(text) if isinstance(text, str) else 0
    return own + sum(count_text(field) for field in fields.values())
