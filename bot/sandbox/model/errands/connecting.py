"""The steps before an app tool can run: the account connected, the asker's own address known."""

from bot.sandbox.model.arguments import field_holding, use
from bot.sandbox.model.conversation import Call
from bot.sandbox.model.errands.accounts import read_connection
from bot.sandbox.model.errands.apps import AppTool, Found
from bot.sandbox.model.errands.composing import compose
from bot.sandbox.model.errands.errand import Errand
from bot.sandbox.model.errands.filling import fill_in
from bot.sandbox.model.errands.moves import Step, ask_for_schema, make, not_done
from bot.sandbox.model.errands.results import read_outcome
from bot.sandbox.model.replies import Reply
from bot.sandbox.model.searching import in_one_batch
from bot.sandbox.model.wire import Json, as_list


def connect(errand: Errand, found: Found, tool: AppTool) -> Step:
    """Ask for the account where it is not connected, once; a refusal ends the errand."""
    asked = [n for n, c in enumerate(errand.attempted) if _asks_for(c, tool.toolkit)]
    lacked = [n for n, c in enumerate(errand.attempted) if _lacked_account(c, errand, tool)]
    if not asked:
        is_needed = bool(lacked) or found.is_connected is False
        return _ask_to_connect(errand, found, tool) if is_needed else None
    state = read_connection(errand.attempted[asked[-1]], tool.toolkit)
    if state == "open" and found.is_connected is not True:
        return not_done(errand, "open", app=tool.app)
    if state == "refused" or (lacked and lacked[-1] > asked[-1]):
        return not_done(errand, "unconnected", app=tool.app)
    return None


def learn_own_address(errand: Errand, found: Found, tool: AppTool) -> Step:
    """Look up the asker's address for a mail to themselves, where nothing has told it yet."""
    if not errand.goes_to_asker or errand.own_address(found):
        return None
    if found.profile and not errand.runs(found.profile.slug):
        needs_schema = found.profile.schema is None
        asking = ask_for_schema(errand, found.profile) if needs_schema else None
        return asking or _read_profile(errand, found, found.profile)
    filled = fill_in(tool.schema or {}, compose(errand, found))
    is_open = any(field.role == "recipient" for field in filled.missing)
    may_ask = found.is_connected is not False and not errand.connections
    has_manager = errand.conversation.tool("manage_connections") is not None
    return _ask_to_connect(errand, found, tool) if is_open and may_ask and has_manager else None


def _read_profile(errand: Errand, found: Found, profile: AppTool) -> Step:
    batch = errand.conversation.tool("execute_batch")
    if batch is None:
        return None
    entry: Json = {"tool_slug": profile.slug, "arguments": {}}
    looking = in_one_batch(batch, [entry], found.session_id, "Read the own address.")
    return make(errand, looking, thought="Looking up the person's own address.")


def _ask_to_connect(errand: Errand, found: Found, tool: AppTool) -> Reply | str:
    manager = errand.conversation.tool("manage_connections")
    if manager is None:
        return not_done(errand, "unconnected", app=tool.app)
    wanted: Json = {field_holding(manager, "toolkit"): [tool.toolkit]}
    if found.session_id:
        wanted["session_id"] = found.session_id
    asking = use(manager, wanted, topic=tool.toolkit)
    return make(errand, asking, thought=f"Looking at the account of {tool.app}.")


def _asks_for(call: Call, toolkit: str) -> bool:
    values = call.arguments.values()
    return call.purpose == "manage_connections" and any(toolkit in as_list(v) for v in values)


def _lacked_account(call: Call, errand: Errand, tool: AppTool) -> bool:
    is_run = call in errand.runs(tool.slug)
    return is_run and read_outcome(call, tool.slug).ending == "unconnected"
