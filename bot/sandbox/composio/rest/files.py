"""Files over REST: uploads for attachments, a session's mount, and the presigned addresses."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from urllib.parse import quote

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.composio.errors import RestError
from bot.sandbox.composio.outcome import Data
from bot.sandbox.composio.rest.bodies import PREFIX, read, route
from bot.sandbox.composio.rest.mounts import MountTokens
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.storage import Storage
from bot.sandbox.composio.workbench import MOUNT, RemoteFiles, RemoteTree

URL_LIFE = timedelta(hours=1)
MAX_FILE_BYTES = 100_000_000


class UploadRequest(BaseModel):
    md5: str
    filename: str = Field(min_length=1)
    mimetype: str = Field(min_length=1)
    tool_slug: str = Field(min_length=1)
    toolkit_slug: str = Field(min_length=1)


class MountRequest(BaseModel):
    mount_relative_path: str = Field(min_length=1)
    mimetype: str = "application/octet-stream"


class FileRoutes:
    """The handlers of uploads and mounts, and those behind presigned addresses."""

    def __init__(
        self,
        storage: Storage,
        files: RemoteFiles,
        sessions: Mapping[str, Session],
        clock: Callable[[], datetime],
    ) -> None:
        self._storage = storage
        self._files = files
        self._sessions = sessions
        self._clock = clock
        self._tokens = MountTokens()

    def routes(self) -> list[Route]:
        mount = f"{PREFIX}/tool_router/session/{{session_id}}/mounts/{{mount}}"
        return [
            route("POST", f"{PREFIX}/files/upload/request", self._announce),
            route("POST", "/api/v3/files/upload/request", self._announce),
            route("GET", f"{mount}/items", self._list),
            route("GET", f"{mount}/files", self._list),
            route("POST", f"{mount}/upload_url", self._offer_upload),
            route("POST", f"{mount}/download_url", self._offer_download),
            route("PUT", "/s3/mounts/{token}", self._receive_mounted),
            route("GET", "/s3/mounts/{token}", self._send_mounted),
            route("PUT", "/s3/{token}/{filename}", self._receive),
            route("GET", "/s3/{token}/{filename}", self._send),
        ]

    async def _announce(self, request: Request) -> Response:
        body = await read(request, UploadRequest)
        stored = self._storage.announce(
            body.filename,
            body.mimetype,
            tool_slug=body.tool_slug,
            toolkit_slug=body.toolkit_slug,
            md5=body.md5,
        )
        url = f"{str(request.base_url).rstrip('/')}{stored.path}"
        answer = {
            "id": stored.id,
            "key": stored.key,
            "type": "new",
            "new_presigned_url": url,
            "newPresignedUrl": url,
            "metadata": {"storage_backend": "s3"},
        }
        return JSONResponse(answer, 201)

    async def _receive(self, request: Request) -> Response:
        data = await _read_data(request)
        try:
            fits = self._storage.fill(request.path_params["token"], data)
        except KeyError:
            raise RestError(403, "S3_AccessDenied", "This address is not valid") from None
        if not fits:
            raise RestError(400, "S3_BadDigest", "The content does not have the announced md5")
        return Response(status_code=200)

    async def _send(self, request: Request) -> Response:
        try:
            stored = self._storage.open(request.path_params["token"])
        except KeyError:
            raise RestError(403, "S3_AccessDenied", "This address is not valid") from None
        return _attach(stored.data or b"", stored.mimetype)

    async def _list(self, request: Request) -> Response:
        tree = self._find_tree(request)
        items = [
            {
                "mount_relative_path": path.removeprefix(f"{MOUNT}/"),
                "sandbox_mount_prefix": MOUNT,
                "size": len(file.data),
                "last_modified": file.changed_at.isoformat(),
            }
            for path, file in tree.list_files(MOUNT).items()
        ]
        return JSONResponse({"items": items, "next_cursor": None})

    async def _offer_upload(self, request: Request) -> Response:
        return await self._offer(request, "upload_url", must_exist=False)

    async def _offer_download(self, request: Request) -> Response:
        return await self._offer(request, "download_url", must_exist=True)

    async def _offer(self, request: Request, name: str, *, must_exist: bool) -> Response:
        tree, body = self._find_tree(request), await read(request, MountRequest)
        relative = body.mount_relative_path
        if relative.startswith("/") or ".." in relative.split("/"):
            raise RestError(400, "HTTP_BadRequest", "mount_relative_path must stay in the mount")
        if must_exist and not tree.is_file(f"{MOUNT}/{relative}"):
            raise RestError(404, "HTTP_NotFound", f"There is no file {relative!r} in the mount")
        token = self._tokens.issue(tree, f"{MOUNT}/{relative}", body.mimetype)
        answer: Data = {
            name: f"{str(request.base_url).rstrip('/')}/s3/mounts/{quote(token)}",
            "mount_relative_path": relative,
            "sandbox_mount_prefix": MOUNT,
            "expires_at": (self._clock() + URL_LIFE).isoformat(),
        }
        return JSONResponse(answer)

    async def _receive_mounted(self, request: Request) -> Response:
        mounted = self._tokens.find(request.path_params["token"])
        mounted.tree.put(mounted.path, await _read_data(request), self._clock())
        return Response(status_code=200)

    async def _send_mounted(self, request: Request) -> Response:
        mounted = self._tokens.find(request.path_params["token"])
        try:
            data = mounted.tree.read(mounted.path)
        except FileNotFoundError:
            raise RestError(404, "S3_NoSuchKey", "There is no such file") from None
        return _attach(data, mounted.mimetype)

    def _find_tree(self, request: Request) -> RemoteTree:
        session = self._sessions.get(request.path_params["session_id"])
        if session is None:
            raise RestError(404, "ToolRouterV2_SessionNotFound", "Session not found")
        if request.path_params["mount"] != "files":
            raise RestError(404, "HTTP_NotFound", "A session has one mount, called files")
        return self._files.of(session.user_id)


async def _read_data(request: Request) -> bytes:
    data = await request.body()
    if len(data) > MAX_FILE_BYTES:
        raise RestError(413, "S3_EntityTooLarge", "The file is too large")
    return data


def _attach(data: bytes, mimetype: str) -> Response:
    """A file as a download: whatever it holds, a browser does not show it from this origin."""
    headers = {"content-disposition": "attachment", "x-content-type-options": "nosniff"}
    return Response(data, media_type=mimetype, headers=headers)
