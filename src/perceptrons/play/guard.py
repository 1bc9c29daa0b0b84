"""Who may ask: the page that this server gave out, and nobody else.

A page of another site can make a browser send requests to this machine. Such requests carry that site's
Origin, or, where its name was made to point here, its name as Host; so both are checked. Beyond this machine
(`--host`) a token in the URL is needed as well. Answers tell the browser to run no code but the page's own.
"""

import hmac
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TOKEN_HEADER = "x-playground-token"
FOREIGN = ("cross-site", "same-site")  # Sec-Fetch-Site of pages that are not ours


class Guard:
    """ASGI middleware; `hosts` are the names with port by which the page may be called."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], token: str | None) -> None:
        self.app, self.hosts, self.token = app, frozenset(hosts), token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        refusal = self.refusal(scope) if scope["type"] == "http" else "Only HTTP is spoken here."
        answering = PlainTextResponse(refusal + "\n", 403) if refusal else self.app
        await answering(scope, receive, _with_headers(send))

    def refusal(self, scope: Scope) -> str | None:
        """Why not; None if it may pass."""
        headers = Headers(scope=scope)
        if headers.getlist("host") != [headers.get("host", "")] or headers.get("host") not in self.hosts:
            return "This host name is not that of the playground; use the address that the command printed."
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            return "Requests from other sites are refused."
        foreign = headers.get("sec-fetch-site") in FOREIGN
        if foreign and not (scope["method"] == "GET" and scope["path"] == "/"):  # a link may lead here
            return "Requests from other sites are refused."
        if self.token is not None and not _is_open(scope) and not self._knows_token(scope, headers):
            return "The token is missing or wrong; use the address that the command printed."
        return None

    def _knows_token(self, scope: Scope, headers: Headers) -> bool:
        given = headers.get(TOKEN_HEADER) or QueryParams(scope["query_string"]).get("token", "")
        return hmac.compare_digest(given.encode("utf-8", "replace"), (self.token or "").encode())


def _is_open(scope: Scope) -> bool:
    """Style and code of the page are no secret, and a browser fetches them without the token."""
    return bool(scope["path"].startswith("/page/"))


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending
