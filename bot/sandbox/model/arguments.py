"""Arguments that validate: required fields that a behaviour did not set are filled by type."""

from bot.sandbox.model.purposes import Tool
from bot.sandbox.model.replies import ToolUse
from bot.sandbox.model.wire import Json, as_list, as_object, as_text


def use(tool: Tool, wanted: Json, *, topic: str = "") -> ToolUse:
    """A call of the tool with what is wanted, less unknown fields, plus required ones."""
    known = {k: v for k, v in wanted.items() if k in tool.properties or not tool.properties}
    return ToolUse(name=tool.name, input=fill(tool.schema, known, topic=topic))


def fill(schema: Json, given: Json, *, topic: str = "") -> Json:
    """The given arguments and a sensible value for every required field that is missing."""
    properties = as_object(schema.get("properties"))
    missing = [as_text(n) for n in as_list(schema.get("required")) if n not in given]
    filled = {name: _value(as_object(properties.get(name)), topic) for name in missing}
    return {**given, **filled}


def field_holding(tool: Tool, *parts: str) -> str:
    """The first field of the tool whose name holds one of these parts; otherwise the first part."""
    for part in parts:
        found = [name for name in tool.properties if part in name.lower()]
        if found:
            return found[0]
    return parts[0]


def _value(spec: Json, topic: str) -> object:
    if "default" in spec:
        return spec["default"]
    choices = as_list(spec.get("enum")) or ([spec["const"]] if "const" in spec else [])
    if choices:
        return choices[0]
    for option in as_list(spec.get("anyOf")) + as_list(spec.get("oneOf")):
        return _value(as_object(option), topic)
    return _by_type(spec, topic)


def _by_type(spec: Json, topic: str) -> object:
    match spec.get("type"):
        case "boolean":
            return False
        case "integer" | "number":
            return spec.get("minimum", 0)
        case "array":
            return [_value(as_object(spec.get("items")), topic)] if spec.get("minItems") else []
        case "object":
            return fill(spec, {}, topic=topic)
        case "null":
            return None
        case _:
            return topic[: int(spec.get("maxLength", len(topic)))]
