"""A server by itself: an application at an address, until it is told to end."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from wfc.runtime.errors import MissingPackageError, SettingsError
from wfc.runtime.server.application import Application

try:
    from uvicorn import Config, Server
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError:
    raise MissingPackageError(
        "the server needs the package uvicorn: pip install 'wfc-workflows[server]'"
    ) from None

__all__ = ["is_loopback", "listening", "serve", "serve_app"]

UNREAD_FOR: Final = 30
"""The seconds after which the connection of somebody is closed who does not read what is sent."""

HEAD_IN: Final = 10.0
"""The seconds in which the head of the first request has to come, and that of each later one within twice as many."""

LOOKS_EVERY: Final = 1.0
"""The seconds between two looks whether something else is to be served."""

MANY_OBJECTS: Final = 20_000
"""After so many new objects that are still there Python looks for garbage."""

MOST_CONNECTIONS: Final = 2500
ENDS_IN: Final = 3
"""The seconds that replies have that are under way when the server is to end."""


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine alone."""
    return host in {"localhost", "::1"} or (host.startswith("127.") and host.replace(".", "").isdigit())


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; whoever does not read what we send is cut off by the system.

    Raises:
        SettingsError: It is taken, or none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With its protocol named asyncio sets TCP_NODELAY; without it the body of a reply waits until its head is
    # acknowledged, which the other side puts off for 40 ms.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_FOR * 1000)
        found.bind((host, port))
        found.listen(1024)
    except OSError as error:
        found.close()
        raise SettingsError(f"nothing can be served at {host}:{port}: {error.strerror or error}") from None
    return found


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Let Python look for garbage less often while a process serves.

    What a request leaves behind is nearly all freed without that; to look after every 700 objects takes a seventh of
    the time of a short run. What the process has begun with is no garbage so long.
    """
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(MANY_OBJECTS, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class OnePiece:
    """A transport that sends together what is written in one turn of the event loop.

    A reply is written as its head, its body and its end: sent apart, each of them is a call of the system here, and
    another one at the reader.
    """

    __slots__ = ("_loop", "_parts", "_transport")

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send something at the end of this turn."""
        if not self._parts:
            self._loop.call_soon(self._send)
        self._parts.append(data)

    def _send(self) -> None:
        if parts := self._parts:
            self._parts = []
            self._transport.write(b"".join(parts))

    def close(self) -> None:
        """Send what is left, and close."""
        self._send()
        self._transport.close()


class PromptProtocol(H11Protocol):
    """A connection that is closed if no request comes by it for a while, however much of one has come."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.transport: Any = OnePiece(transport, self.loop)
        self._answered: object = None  # the last request, if it was answered already at the last look
        self._look = self.loop.call_later(HEAD_IN, self._close_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._look.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        request: Any = self.cycle
        is_under_way = request is not None and not request.response_complete
        if not is_under_way and request is self._answered:
            self.transport.close()
            return
        self._answered = None if is_under_way else request
        self._look = self.loop.call_later(HEAD_IN, self._close_if_idle)


class DrainedServer(Server):
    """A server that ends its streams before it waits for the end of its connections."""

    def __init__(self, config: Config, application: Application) -> None:
        super().__init__(config)
        self._application = application

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to end; a second signal ends at once."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._application.server.drain()


def serve(
    application: Application,
    listener: socket.socket,
    begun: Callable[[], None],
    changed: Callable[[], bool] | None = None,
) -> bool:
    """Serve an application until the process is told to end by SIGTERM or SIGINT.

    Args:
        begun: Called once requests are answered.
        changed: Returns whether to end because something else is to be served; it is asked every second.

    Returns:
        Whether it has ended for that.
    """
    config = Config(
        application,
        http=PromptProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",  # what strangers send wrong fills no log
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=ENDS_IN,
        timeout_keep_alive=int(2 * HEAD_IN),
        h11_max_incomplete_event_size=32_768,
    )
    server = DrainedServer(config, application)

    async def work() -> bool:
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(server.serve(sockets=[listener]))
            while not server.started and not serving.done():  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.01)
            if server.started:
                begun()
            while changed is not None and not server.should_exit and not serving.done():
                await asyncio.sleep(LOOKS_EVERY)
                if changed() and not server.should_exit:
                    server.handle_exit(signal.SIGTERM, None)
                    return True
        return False

    with collecting_seldom():
        return asyncio.run(work())


async def serve_app(app: Any, host: str, port: int, options: dict[str, Any]) -> None:
    """Serve any ASGI application at an address, until the process is told to end.

    Args:
        options: Of uvicorn's configuration, over ours.

    Raises:
        SettingsError: The address is taken.
    """
    own: dict[str, Any] = {
        "http": PromptProtocol,
        "ws": "none",
        "log_level": "warning",
        "server_header": False,
        "proxy_headers": False,
        "limit_concurrency": MOST_CONNECTIONS,
        "timeout_graceful_shutdown": ENDS_IN,
    }
    address = "127.0.0.1" if host == "localhost" else host
    with listening(address, port) as listener, collecting_seldom():
        await Server(Config(app, **{**own, **options})).serve(sockets=[listener])
