"""Where the servers of these tests listen."""

from __future__ import annotations

import socket
import time

HOST, PORT = "WORKFLOWS_PY_SERVER_HOST", "WORKFLOWS_PY_SERVER_PORT"


def listens(port: int) -> bool:
    for _ in range(4000):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.05)
    return False
