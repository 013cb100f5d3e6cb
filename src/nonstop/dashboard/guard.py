"""The security policy applied to every request: refusals, the token, and security headers in the answer."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nonstop.dashboard.security import COOKIE, HEADERS, Policy, same

LOGIN = Path(__file__).parent / "static" / "login.html"
#: Files of the login page, which need no token.
_OPEN = ("/static/style.css", "/static/theme.js")
#: Headers that the routes may see. No Range: they would make answers of many parts, which nobody needs here.
_PASSED = frozenset({b"host", b"if-none-match", b"if-modified-since"})


class Guard:
    """ASGI middleware that applies the policy."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let it through."""
        if scope["type"] == "http":
            answer = self._answer(scope)
            passed = [(name, value) for name, value in scope["headers"] if name in _PASSED]
            send = _with_headers(send, scope["path"])
            await (answer or self._app)({**scope, "headers": passed}, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:  # the dashboard has no web sockets
            await send({"type": "websocket.close", "code": 1008})

    def _answer(self, scope: Scope) -> Response | None:
        """A refusal or the login page; None lets the request through."""
        too_long = self._policy.too_long(scope["raw_path"] + scope["query_string"], scope["headers"])
        if too_long is not None:
            return JSONResponse({"error": too_long.why}, too_long.status)
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        refusal = self._policy.refusal(scope["method"], headers)
        if refusal is not None:
            return JSONResponse({"error": refusal.why}, refusal.status, {"allow": "GET, HEAD"})
        if not (scope["path"].isascii() and scope["path"].isprintable()):  # no name here has such characters
            return JSONResponse({"error": "there is no such page"}, 404)
        if self._policy.admits(headers) or scope["path"] in _OPEN:
            return None
        return self._log_in(scope)

    def _log_in(self, scope: Scope) -> Response:
        """A correct token in the address becomes a cookie and disappears from the address; else ask for it."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if self._policy.token is not None and any(same(word, self._policy.token) for word in given):
            answer: Response = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, self._policy.cookie, httponly=True, samesite="strict")
            return answer
        if scope["path"].startswith("/api/"):
            return JSONResponse({"error": "this dashboard needs its token"}, 401, {"www-authenticate": "Bearer"})
        return FileResponse(LOGIN, 401, media_type="text/html")


def _with_headers(send: Send, path: str) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            # Browsers revalidate files each time, mostly with the answer "not modified"; data are never cached.
            headers["cache-control"] = "no-store" if path.startswith("/api/") else "no-cache"
        await send(message)

    return with_headers
