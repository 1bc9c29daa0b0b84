"""The playground's server: a page, its lessons, and runs of the library; nothing is kept, nothing written.

Only the files of the page, read at the start, are ever sent: no path of a request reaches the disk. A request
is read up to a limit of bytes and of seconds, and answered by a process of its own (`workers`).
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from importlib.resources import files

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from .asked import SETTINGS
from .guard import Guard
from .worker import LESSONS, RUN, TABLE
from .workers import SECONDS, Busy, TookTooLong, Workers

MOST_BYTES = 1 << 20  # of a request
READING = 10.0  # seconds for its body
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
BUSY = "The playground is busy; try again in a moment."
TOO_LONG = "The fit took longer than {seconds:g} seconds and was stopped; use fewer rows or passes."
FAILED = "The fit failed and was stopped; use fewer rows or passes."
TOO_LARGE = f"The request is larger than {MOST_BYTES >> 20} MiB; use fewer rows."


def application(hosts: list[str], token: str | None = None, seconds: float = SECONDS) -> Starlette:
    """`hosts`: names with port by which the page may be called; `seconds`: the limit of a fit."""
    workers = Workers(seconds)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.lessons = asyncio.create_task(workers.ask(LESSONS))
        warming = asyncio.create_task(workers.warm_up("perceptron"))
        try:
            yield
        finally:
            for task in (warming, app.state.lessons):
                task.cancel()
            await asyncio.gather(warming, app.state.lessons, return_exceptions=True)  # whoever asked was told
            await workers.stop()

    async def lessons(request: Request) -> Response:
        return await _told(asyncio.shield(request.app.state.lessons), workers)

    async def run(request: Request) -> Response:
        return await _answer(request, RUN, workers, request.path_params["learner"])

    async def table(request: Request) -> Response:
        return await _answer(request, TABLE, workers)

    routes = [
        *_pages(),
        Route("/lessons", lessons),
        Route("/run/{learner}", run, methods=["POST"]),
        Route("/table", table, methods=["POST"]),
    ]
    guard = Middleware(Guard, hosts=hosts, token=token)
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan)


def _pages() -> list[Route]:
    """The page's own files, as they were when the server began."""
    folder = files(__package__) / "page"
    found = {one.name: one.read_bytes() for one in folder.iterdir() if one.name.rpartition(".")[2] in TYPES}
    return [
        _fixed("/", found["index.html"], TYPES["html"]),
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
    return await _told(workers.ask(task, learner, text), workers)


async def _told(answer: Awaitable[bytes], workers: Workers) -> Response:
    """What a process answers, or a sentence that says why there is no answer."""
    try:
        return Response(await answer, media_type="application/json")
    except Busy:
        return JSONResponse({"error": BUSY}, 503, {"Retry-After": "1"})
    except TookTooLong:
        return JSONResponse({"error": TOO_LONG.format(seconds=workers.seconds)})
    except (asyncio.IncompleteReadError, ConnectionError):  # the process died, of memory perhaps
        return JSONResponse({"error": FAILED})


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
