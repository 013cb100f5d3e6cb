"""The routes of the dashboard and its server. Pages are static files; their data come as JSON."""

from __future__ import annotations

import re
import socket
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from nonstop.dashboard.connection import BACKLOG, Connection
from nonstop.dashboard.events import list_events, study_events
from nonstop.dashboard.figures import FigureCache, FigureKind, plotly_script
from nonstop.dashboard.guard import Guard
from nonstop.dashboard.overview import Overview
from nonstop.dashboard.reader import Reader
from nonstop.dashboard.rows import details_of, text_of
from nonstop.dashboard.security import MOST_HEAD, Policy, RefusedError
from nonstop.dashboard.streams import Places
from nonstop.dashboard.watch import Watcher
from nonstop.errors import NonstopError

STATIC: Final = Path(__file__).parent / "static"
_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"
_NUMBER: Final = re.compile("[0-9]{1,18}")  # of a study, of a trial: int() refuses thousands of digits


@dataclass
class Dashboard:
    """The state that all requests share."""

    storage: Reader
    #: The URL of the storage without its password.
    shown_url: str
    figure_kinds: Mapping[str, FigureKind]
    #: Whether streams must end because the server is stopping.
    over: Callable[[], bool] = lambda: False
    #: By the id of the study; made when its page is first opened.
    watchers: dict[int, Watcher] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.overview = Overview(self.storage)
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="nonstop-figures")
        self.figure_cache = FigureCache(self.figure_kinds, self.thread)
        self.places = Places()

    async def watcher(self, request: Request) -> Watcher:
        """The watcher of the study in the path, which may be newer than the last poll of the list."""
        study = _number(request.path_params["study"])
        if study not in self.watchers:
            if study not in self.overview.records:
                await self.overview.feed.refresh()
            record = self.overview.records.get(study)
            if record is None:
                trouble = self.overview.feed.trouble
                raise HTTPException(503 if trouble else 404, trouble or f"there is no study with number {study} here")
            self.watchers.setdefault(study, Watcher(self.storage, record))
        return self.watchers[study]

    async def list_stream(self, request: Request) -> Response:
        """Server-sent events of the list."""
        return self._stream(request, lambda over: list_events(self.overview, self.shown_url, over))

    async def study_stream(self, request: Request) -> Response:
        """Server-sent events of a study, from the cursor that the page knows."""
        watcher = await self.watcher(request)
        epoch, after = request.query_params.get("epoch"), request.query_params.get("after", "")
        cursor = int(after) if epoch == watcher.epoch and _NUMBER.fullmatch(after) else 0
        return self._stream(request, lambda over: study_events(watcher, cursor, over))

    def _stream(self, request: Request, events: Callable[[Callable[[], bool]], AsyncIterator[str]]) -> Response:
        """The events in a place of their own, until they are over; HEAD has none, and must not wait for them."""
        if request.method == "HEAD":
            return Response(media_type=_EVENTS)
        place = self.places.take(self.over)

        async def until_over() -> AsyncIterator[str]:
            try:
                async for message in events(place.over):
                    yield message
            finally:
                place.leave()

        return StreamingResponse(until_over(), media_type=_EVENTS)

    async def trial(self, request: Request) -> Response:
        """The details of one trial as JSON."""
        watcher = await self.watcher(request)
        await watcher.feed.load()
        found = watcher.trials.get(_number(request.path_params["number"]))
        if found is None:
            raise HTTPException(404, f"there is no trial {request.path_params['number']}")
        return Response(text_of(details_of(found)), media_type=_JSON)

    def captions(self, _request: Request) -> Response:
        """Titles and captions of the figures that every study has as JSON."""
        return JSONResponse(self.figure_cache.captions())

    async def study_captions(self, request: Request) -> Response:
        """Titles and captions of all figures of a study as JSON."""
        return JSONResponse(self.figure_cache.captions(await self.watcher(request)))

    async def figure(self, request: Request) -> Response:
        """One figure as JSON, of the outcome in the query if there is one."""
        name, outcome = request.path_params["name"], request.query_params.get("outcome")
        watcher = await self.watcher(request)
        if not self.figure_cache.has(watcher, name, outcome):
            raise HTTPException(404, "there is no such figure")
        await watcher.feed.load()
        try:
            return Response(await self.figure_cache.figure(watcher, name, outcome), media_type=_JSON)
        except Exception as error:  # a figure that cannot be drawn must not break the page
            traceback.print_exception(error)
            reason = str(error) if isinstance(error, NonstopError) else type(error).__name__
            raise HTTPException(500, f"this figure could not be drawn: {reason}") from error


def application(dashboard: Dashboard, policy: Policy) -> Starlette:
    """The routes behind the policy, as an ASGI application."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        dashboard.thread.shutdown(wait=False, cancel_futures=True)

    routes = [
        Route("/", _page("list.html")),
        Route("/studies/{study}", _page("study.html")),
        Route("/api/studies", dashboard.list_stream),
        Route("/api/studies/{study}", dashboard.study_stream),
        Route("/api/studies/{study}/trials/{number}", dashboard.trial),
        Route("/api/studies/{study}/figures", dashboard.study_captions),
        Route("/api/studies/{study}/figures/{name}", dashboard.figure),
        Route("/api/figures", dashboard.captions),
        Route("/plotly.js", _plotly),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    guard = Middleware(Guard, policy=policy)
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan, exception_handlers={HTTPException: _error})


def _page(name: str) -> Callable[[Request], Response]:
    def page(request: Request) -> Response:
        _number(request.path_params.get("study", "0"))
        return FileResponse(STATIC / name, media_type="text/html")

    return page


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise HTTPException(404, "there is nothing with such a number")
    return int(text)


def _plotly(_request: Request) -> Response:
    return FileResponse(plotly_script(), media_type="text/javascript")


def _error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code)


def listen(host: str, port: int) -> socket.socket:
    """A socket on the first address of `host`; RefusedError if it cannot be bound."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(128)
    except OSError as error:
        raise RefusedError(
            f"cannot listen on {host} port {port} ({error.strerror}): --port 0 takes any free port"
        ) from error
    return bound


def server_of(dashboard: Dashboard, policy: Policy) -> uvicorn.Server:
    """The server, which ends the streams of the dashboard when it stops."""
    config = uvicorn.Config(
        application(dashboard, policy),
        http=Connection,
        ws="none",
        h11_max_incomplete_event_size=MOST_HEAD,
        backlog=BACKLOG,
        log_level="error",  # what strangers send is worth no line in the terminal
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=3,
    )
    server = uvicorn.Server(config)
    dashboard.over = lambda: server.should_exit
    return server


def serve(dashboard: Dashboard, policy: Policy, bound: socket.socket) -> None:
    """Answer until SIGINT or SIGTERM."""
    server_of(dashboard, policy).run(sockets=[bound])
