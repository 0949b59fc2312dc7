"""Whether the servers of the fleet may be installed and started."""

import os


def may_install() -> bool:
    """Whether whoever runs the tests wants packages to be fetched from the registries."""
    return bool(os.environ.get("RUN_FLEET"))
