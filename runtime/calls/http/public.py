"""Connections to the public internet alone: each name is looked up once, checked, and the checked address is called."""

from __future__ import annotations

import asyncio
import socket
import ssl
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.request import getproxies, proxy_bypass

import httpx2

from wfc.runtime.calls.http.addresses import PORTS, refuse, shown

__all__ = ["PublicTransport", "is_public"]

CONNECT_SECONDS: Final = 10.0
TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""IPv4 addresses as networks show them that speak only IPv6."""

PROTOCOLS: Final = IPv4Network("192.0.0.0/24")

GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
NOBODYS: Final = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16"))
)
"""What is kept in `GLOBAL_UNICAST` for tunnels, which may end anywhere, for documents and for protocols."""


class PublicTransport(httpx2.AsyncBaseTransport):
    """Sends requests to public addresses alone.

    A name is looked up here, all that it stands for must be public, and the connection goes to one of the addresses
    that were checked, so that a name that changes its meaning in between gains nothing. Certificates are those of the
    name.
    """

    def __init__(self, certificates: ssl.SSLContext) -> None:
        self._inner = httpx2.AsyncHTTPTransport(verify=certificates, trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request.

        Raises:
            StepError: ``http.invalid_request``: nothing is sent, as the address is not public.
        """
        refuse_behind_proxy(request.url)
        failure: httpx2.ConnectError | httpx2.ConnectTimeout | None = None
        for address in await public_addresses(request.url):
            name = request.url.raw_host.decode("ascii")
            there = httpx2.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": name},
            )
            try:
                return await self._inner.handle_async_request(there)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failure = error
        assert failure is not None  # a name stands for one address at least
        raise failure

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def refuse_behind_proxy(address: httpx2.URL) -> None:
    """Raise where a proxy would look the name up, which may see other machines than this one."""
    proxies = getproxies()
    if (address.scheme in proxies or "all" in proxies) and not proxy_bypass(address.host):
        refuse(f"{shown(address)} would be asked through a proxy; `only: public` cannot hold there")


async def public_addresses(address: httpx2.URL) -> list[str]:
    """Return the IP addresses of a server, each once, in the order in which they are to be tried.

    Raises:
        StepError: One of them is not public.
        httpx2.ConnectError: The name is not known.
    """
    port = address.port or PORTS[address.scheme]
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            found = await loop.getaddrinfo(
                address.raw_host.decode("ascii"), port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
            )
    except TimeoutError:
        raise httpx2.ConnectTimeout(f"the name {address.host} could not be looked up in time") from None
    except (OSError, UnicodeError) as error:
        raise httpx2.ConnectError(f"the name {address.host} could not be looked up: {error}") from None
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not addresses:
        raise httpx2.ConnectError(f"the name {address.host} stands for no address")
    if not all(map(is_public, addresses)):
        refuse(f"{shown(address)} is not on the public internet")
    return addresses


def is_public(text: str) -> bool:
    """Return whether an IP address belongs to a machine on the public internet."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        inner = address.ipv4_mapped
        if inner is None and address in TRANSLATED:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is None:
            return address in GLOBAL_UNICAST and not any(address in each for each in NOBODYS)
        address = inner
    return address.is_global and not (address.is_multicast or address.is_reserved or address in PROTOCOLS)
