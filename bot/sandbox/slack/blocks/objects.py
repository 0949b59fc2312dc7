"""Composition objects: texts, options, confirmations, filters. Closed: no unknown key."""

from bot.sandbox.slack.blocks.node import Node
from bot.sandbox.slack.problems import Problem


def check_text(
    node: Node, name: str, maximum: int, *, plain: bool = False, required: bool = False
) -> None:
    """The field is a text object within its length, `plain_text` alone if so demanded."""
    if (text := node.child(name, required=required)) is not None:
        check_text_object(text, maximum, plain=plain)


def check_text_object(text: Node, maximum: int, *, plain: bool = False) -> None:
    """The node is a text object."""
    before = len(text.problems)
    text.check_choice("type", ("plain_text",) if plain else ("plain_text", "mrkdwn"), required=True)
    text.check_string("text", maximum, required=True)
    text.check_keys(("type", "text", "emoji" if text.type == "plain_text" else "verbatim"))
    if len(text.problems) > before:
        message = "failed to match all allowed schemas"
        text.problems.insert(before, Problem(message=message, pointer=text.pointer))


def check_option(option: Node) -> None:
    """The node is an option of a menu or a group of boxes."""
    check_text(option, "text", 75, required=True)
    option.check_string("value", 150, required="url" not in option.value)
    check_text(option, "description", 75)
    option.check_string("url", 3000)
    option.check_keys(("text", "value", "description", "url"))


def check_option_group(group: Node) -> None:
    """The node is a labelled group of options."""
    check_text(group, "label", 75, plain=True, required=True)
    for option in group.children("options", maximum=100):
        check_option(option)
    group.check_keys(("label", "options"))


def check_confirm(node: Node) -> None:
    """The node's `confirm`, if there is one, is a confirmation dialog."""
    if (confirm := node.child("confirm")) is None:
        return
    check_text(confirm, "title", 100, plain=True, required=True)
    check_text(confirm, "text", 300, required=True)
    check_text(confirm, "confirm", 30, plain=True, required=True)
    check_text(confirm, "deny", 30, plain=True, required=True)
    confirm.check_choice("style", ("primary", "danger"))
    confirm.check_keys(("title", "text", "confirm", "deny", "style"))


def check_image_source(node: Node) -> None:
    """The node shows an image: by URL or as a file of Slack."""
    node.check_string("alt_text", 2000, required=True)
    node.check_string("image_url", 3000, required="slack_file" not in node.value)
    if (file := node.child("slack_file")) is not None and not (
        file.value.get("id") or file.value.get("url")
    ):
        file.fail("missing required field: id")


def check_filter(node: Node) -> None:
    """The node's `filter`, if there is one, narrows a menu of conversations."""
    if (narrowed := node.child("filter")) is None:
        return
    narrowed.check_keys(("include", "exclude_external_shared_channels", "exclude_bot_users"))
    for kind in narrowed.items("include", maximum=4, required=False):
        if kind not in ("im", "mpim", "private", "public"):
            narrowed.fail(f"unsupported include: {kind}", "include")


def check_dispatch_config(node: Node) -> None:
    """The node's `dispatch_action_config`, if there is one, says when typing is told."""
    if (config := node.child("dispatch_action_config")) is None:
        return
    config.check_keys(("trigger_actions_on",))
    for trigger in config.items("trigger_actions_on", maximum=2):
        if trigger not in ("on_enter_pressed", "on_character_entered"):
            config.fail(f"unsupported trigger_actions_on: {trigger}", "trigger_actions_on")
