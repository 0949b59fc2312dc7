"""Which addresses are dialled: the API's own, and public ones by https."""

import pytest

from mcp_local.errors import RemoteError
from mcp_local.workbench.http import open_wire
from tests.mcp_local.fetch.world import PUBLIC, Names, Wire
from tests.mcp_local.workbench.desk import CloudDesk


async def put(desk: CloudDesk, names: Names, sockets: Wire, address: str) -> str:
    """Put a byte there; what was said when it failed."""
    with pytest.raises(RemoteError) as failure:
        async with open_wire(desk.settings, resolver=names, make_socket=sockets) as wire:
            await wire.put(address, b"x", {})
    return str(failure.value)


async def test_a_public_storage_is_dialled_by_https(desk: CloudDesk) -> None:
    sockets = Wire()
    names = Names({"storage.example": [[PUBLIC]]})
    await put(desk, names, sockets, "https://storage.example/a?sig=x")
    assert sockets.dialled == [(PUBLIC, 443)]


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1"])
async def test_a_name_that_leads_inside_is_not_dialled(desk: CloudDesk, address: str) -> None:
    sockets = Wire()
    names = Names({"storage.example": [[PUBLIC, address]]})
    said = await put(desk, names, sockets, "https://storage.example/a")
    assert "not public" in said
    assert sockets.dialled == []


async def test_what_connects_shows_no_key(desk: CloudDesk) -> None:
    key = desk.settings.composio_api_key.get_secret_value()
    async with open_wire(desk.settings) as wire:
        assert key not in repr(wire)
        assert wire.key == key
