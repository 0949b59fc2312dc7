"""What every tool call goes through: the seam `Toolset`, the registry, names, schemas, search.

The door of this room: other rooms import from here alone. `toolset.py` is to be read first.
"""

from agent_core.tools.actions import (
    COMPOSIO,
    LOST_RESULT,
    Action,
    OpenedCall,
    batch_results,
    is_batch,
    opened,
)
from agent_core.tools.names import (
    AGENT,
    MAX_NAME_CHARS,
    app_name,
    canonical,
    full_name,
    name_words,
    prefix_of,
    reads,
    server_of,
    server_prefix,
    slug_of,
)
from agent_core.tools.payloads import (
    digest_of_json,
    find_object,
    is_list,
    is_object,
    objects,
    parse_result,
    text_in,
)
from agent_core.tools.registry import AfterHook, Registry, fit, unknown_tool
from agent_core.tools.schemas import (
    fault_beside_loop,
    fault_of_arguments,
    fault_of_schema,
    schema_for_model,
)
from agent_core.tools.search import AgentTools, tools_in_sight
from agent_core.tools.sources import sources_in
from agent_core.tools.surface import READ_FILE, SURFACE_TOOLS, Surface, SurfaceTools
from agent_core.tools.toolset import (
    JOINT,
    MAIN_AGENT,
    Artifact,
    OnProgress,
    ToolContext,
    ToolOutput,
    Toolset,
)

__all__ = [
    "AGENT",
    "COMPOSIO",
    "JOINT",
    "LOST_RESULT",
    "MAIN_AGENT",
    "MAX_NAME_CHARS",
    "READ_FILE",
    "SURFACE_TOOLS",
    "Action",
    "AfterHook",
    "AgentTools",
    "Artifact",
    "OnProgress",
    "OpenedCall",
    "Registry",
    "Surface",
    "SurfaceTools",
    "ToolContext",
    "ToolOutput",
    "Toolset",
    "app_name",
    "batch_results",
    "canonical",
    "digest_of_json",
    "fault_beside_loop",
    "fault_of_arguments",
    "fault_of_schema",
    "find_object",
    "fit",
    "full_name",
    "is_batch",
    "is_list",
    "is_object",
    "name_words",
    "objects",
    "opened",
    "parse_result",
    "prefix_of",
    "reads",
    "schema_for_model",
    "server_of",
    "server_prefix",
    "slug_of",
    "sources_in",
    "text_in",
    "tools_in_sight",
    "unknown_tool",
]
