"""The way from an older database to the tables that the code knows, one file a revision."""

from agent_core.sessions.migrations.backup import file_of, way_back
from agent_core.sessions.migrations.state import SchemaState, examine_schema, require_usable
from agent_core.sessions.migrations.upgrade import upgrade

__all__ = ["SchemaState", "examine_schema", "file_of", "require_usable", "upgrade", "way_back"]
