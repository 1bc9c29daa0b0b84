"""The playground's server: a page, its lessons, and runs of the library; nothing is kept, nothing written.

Only the files of the page, read at the start, are ever sent: no path of a request reaches the disk. A request
is read up to a limit of bytes and of seconds, and answered by a process of its own (`workers`).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from .asked import SETTINGS, named_settings
from .guard import Guard
from .presets import presets
from .worker import RUN, TABLE
from .workers import SECONDS, Busy, TookTooLong, Workers

MOST_BYTES = 1 << 20  # of a request
READING = 10.0  # seconds for its body
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
BUSY = "The playground is busy; try again in a moment."
TOO_LARGE = f"The request is larger than {MOST_BYTES >> 20} MiB; use fewer rows."


def application(hosts: list[str], token: str | None = None, seconds: float = SECONDS) -> Starlette:
    """`hosts`: names with port by which the page may be called; `seconds`: the limit of a fit."""
    workers = Workers(seconds)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        warming = asyncio.create_task(workers.warm_up("perceptron"))
        try:
            yield
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError, Exception):  # whoever asked first has been told
                await warming
            await workers.stop()

    async def run(request: Request) -> Response:
        return await _answer(request, RUN, workers, request.path_params["learner"])

    async def table(request: Request) -> Response:
        return await _answer(request, TABLE, workers)

    routes = [
        *_pages(),
        Route("/run/{learner}", run, methods=["POST"]),
        Route("/table", table, methods=["POST"]),
    ]
    guard = Middleware(Guard, hosts=hosts, token=token)
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan)


def _pages() -> list[Route]:
    """The page's own files and its lessons, as they were when the server began."""
    folder = files(__package__) / "page"
    found = {one.name: one.read_bytes() for one in folder.iterdir() if one.name.rpartition(".")[2] in TYPES}
    lessons = JSONResponse({"presets": [one._asdict() for one in presets()], "named": named_settings()}).body
    return [
        _fixed("/", found["index.html"], TYPES["html"]),
        _fixed("/lessons", bytes(lessons), "application/json"),
        *(_fixed(f"/page/{name}", data, TYPES[name.rpartition(".")[2]]) for name, data in found.items()),
    ]


def _fixed(path: str, data: bytes, kind: str) -> Route:
    async def send(request: Request) -> Response:
        return Response(data, media_type=kind)

    return Route(path, send)


async def _answer(request: Request, task: str, workers: Workers, learner: str = "") -> Response:
    """What the page is to show, or a sentence; what is no request of the page is refused by a status."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return PlainTextResponse("Send JSON.\n", 415)
    if learner and learner not in SETTINGS:
        return PlainTextResponse("There is no such learner.\n", 404)
    try:
        async with asyncio.timeout(READING):
            text = await _body(request)
    except TimeoutError:
        return PlainTextResponse("The request came too slowly.\n", 408, {"Connection": "close"})
    except ClientDisconnect:
        return Response(status_code=400)
    if text is None:
        return PlainTextResponse(TOO_LARGE + "\n", 413, {"Connection": "close"})
    try:
        return Response(await workers.ask(task, learner, text), media_type="application/json")
    except Busy:
        return JSONResponse({"error": BUSY}, 503, {"Retry-After": "1"})
    except TookTooLong:
        limit = (
            f"The fit took longer than {workers.seconds:g} seconds and was stopped; use fewer rows or passes."
        )
        return JSONResponse({"error": limit})
    except (asyncio.IncompleteReadError, ConnectionError):  # the process died, of memory perhaps
        return JSONResponse({"error": "The fit failed and was stopped; use fewer rows or passes."})


async def _body(request: Request) -> bytes | None:
    """None if it is too large; then the rest is not read."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MOST_BYTES:
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)
