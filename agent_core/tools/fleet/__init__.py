"""The fleet: the MCP servers of the operator's file and of the shipped catalogue.

`read_fleet` says which there are and why some are off; `FleetTools` offers one of them.
"""

from agent_core.tools.fleet.reading import Surroundings, read_fleet
from agent_core.tools.fleet.servers import Access, FleetServer, FleetTools

__all__ = [
    "Access",
    "FleetServer",
    "FleetTools",
    "Surroundings",
    "read_fleet",
]
