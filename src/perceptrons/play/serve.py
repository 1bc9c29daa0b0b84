"""Start the server, open the page, stop on Ctrl-C."""

import secrets
import socket
import threading
import webbrowser
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .server import application

LOOPBACK = ("127.0.0.1", "localhost", "::1")
REQUEST_WITHIN = 15.0  # seconds; a connection that has sent no whole request since then is closed
MOST_CONNECTIONS = 300
MOST_HEADER_BYTES = 16_384


class PatientUpToALimit(H11Protocol):
    """HTTP/1.1 that waits for a request only so long; uvicorn waits for ever."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.loop.call_later(REQUEST_WITHIN, self._close_if_silent, None)

    def _close_if_silent(self, last: Any) -> None:
        """`last` is the request that was answered last when this was asked before."""
        if self.transport.is_closing():
            return
        answered = self.cycle is None or self.cycle.response_complete
        if answered and self.cycle is last:
            self.transport.close()
        else:
            self.loop.call_later(REQUEST_WITHIN, self._close_if_silent, self.cycle)


class PlaygroundServer(uvicorn.Server):
    """Tells when it listens."""

    def __init__(self, config: uvicorn.Config, listening: Any) -> None:
        super().__init__(config)
        self.listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening()


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is a free one. A ValueError says if it is taken."""
    try:
        kind, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(kind, socket.SOCK_STREAM)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
        except OSError:
            found.close()
            raise
    except OSError as error:
        other = "omit --port for a free one" if port else "try --host 127.0.0.1"
        reason = (error.strerror or str(error)).rstrip(".")
        raise ValueError(
            f"The playground cannot listen at {host}, port {port}: {reason}; {other}."
        ) from error
    return found


def addresses(host: str, port: int) -> list[str]:
    """Names with port by which a browser may call."""
    own = LOOPBACK if host in LOOPBACK else _own_names(host)
    names = [host, *(name for name in own if name != host)]
    return [f"[{name}]:{port}" if ":" in name and name[0] != "[" else f"{name}:{port}" for name in names]


def _own_names(host: str) -> list[str]:
    """Where all interfaces are listened at, what this machine is called and where it is reached."""
    if host not in ("0.0.0.0", "::"):
        return []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent; the route tells our own address
            own = [probe.getsockname()[0]]
        except OSError:
            own = []
    return [socket.gethostname(), socket.getfqdn(), "127.0.0.1", "localhost", *own]


def serve(host: str, port: int, open_page: bool, say: Any) -> None:
    """Serve until Ctrl-C. `say` prints a line."""
    listener = bound_socket(host, port)
    port = listener.getsockname()[1]
    hosts = addresses(host, port)
    token = None if host in LOOPBACK else secrets.token_urlsafe(16)
    shown = hosts[-1] if host in ("0.0.0.0", "::") else hosts[0]
    url = f"http://{shown}/" + (f"?token={token}" if token else "")
    if token:
        say(
            f"Warning: {host} can be reached by other machines. Whoever has the address below can use this "
            "machine's time; nothing is encrypted."
        )

    def listening() -> None:
        say(f"The playground is at {url}\nCtrl-C stops it.")
        if open_page:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    config = uvicorn.Config(
        application(hosts, token),
        http=PatientUpToALimit,
        ws="none",
        lifespan="on",
        log_level="critical",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=0,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
    )
    with listener:
        PlaygroundServer(config, listening).run(sockets=[listener])
