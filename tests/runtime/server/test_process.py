"""A server by itself: how its connections are set up, and how its replies go out."""

from __future__ import annotations

import asyncio
import socket

import pytest

from wfc.runtime.server.process import OnePiece, listening


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_no_reply_waits_until_the_piece_before_it_is_acknowledged(host: str) -> None:
    if host == "::1" and not socket.has_ipv6:
        pytest.skip("this system has no IPv6")

    async def main() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            own = writer.get_extra_info("socket")
            found.set_result(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listening(host, 0) as listener:
            async with await asyncio.start_server(connected, sock=listener):
                _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
                writer.close()
                return await found

    assert asyncio.run(main()) != 0


class Sent:
    """A transport that notes what is sent by it."""

    def __init__(self) -> None:
        self.noted: list[bytes | str] = []

    def write(self, data: bytes) -> None:
        self.noted.append(data)

    def close(self) -> None:
        self.noted.append("closed")

    def is_closing(self) -> bool:
        return "closed" in self.noted


def test_what_is_written_in_one_turn_is_sent_together() -> None:
    async def main() -> list[bytes | str]:
        sent = Sent()
        one = OnePiece(sent, asyncio.get_running_loop())
        for part in (b"head ", b"body ", b"end"):
            one.write(part)
        assert sent.noted == []
        await asyncio.sleep(0)
        assert sent.noted == [b"head body end"]
        one.write(b"more")
        assert not one.is_closing()
        one.close()
        assert one.is_closing()
        await asyncio.sleep(0)
        return sent.noted

    assert asyncio.run(main()) == [b"head body end", b"more", "closed"]
