"""The fleet: the MCP servers of the operator's file and of the shipped catalogue.

`read_fleet` says which there are and why some are off; `FleetTools` offers one of them.
"""

from agent_core.tools.fleet.access import MAIN_AGENT, Access
from agent_core.tools.fleet.reading import Surroundings, read_fleet
from agent_core.tools.fleet.seats import FleetTools
from agent_core.tools.fleet.servers import FleetServer

__all__ = [
    "MAIN_AGENT",
    "Access",
    "FleetServer",
    "FleetTools",
    "Surroundings",
    "read_fleet",
]
