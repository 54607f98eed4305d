"""Ports of this machine for servers that are told theirs, or come back to it."""

from __future__ import annotations

import atexit
import socket
import sys

__all__ = ["kept_port"]


def kept_port() -> int:
    """Return a free port that the system gives to nobody else until this process ends; whoever is told it may listen.

    A port that is free now may be another's a moment later, for each connection takes one. A socket that has it, and
    does not listen, keeps it where another one may listen beside it, which is so on Linux.
    """
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    port: int = holder.getsockname()[1]
    if sys.platform == "linux":
        atexit.register(holder.close)
    else:
        holder.close()
    return port
