"""A session, and a Composio with a workbench of its own."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.mcp_local.workbench.cloud import Cloud, composio
from tests.mcp_local.workbench.desk import CloudDesk


@pytest.fixture
async def cloud(tmp_path: Path) -> AsyncGenerator[Cloud]:
    async with composio(tmp_path / "remote") as served:
        yield served


@pytest.fixture
def desk(tmp_path: Path, cloud: Cloud) -> CloudDesk:
    return CloudDesk(tmp_path, cloud)
