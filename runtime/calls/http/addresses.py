"""Which addresses a request may be sent to: those of the server that the spec names, the listed ones, public ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NoReturn
from urllib.parse import quote, unquote, unquote_to_bytes

import httpx2

from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import StepError

__all__ = ["AddressRule", "AnyPublic", "AnyServer", "Listed", "refuse", "rule_for", "shown", "web_address"]

PORTS: Final = {"http": 80, "https": 443}
UNFIT: Final = re.compile(r"[\s\\\x00-\x1f\x7f-\x9f]")
ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
WAYS: Final = frozenset({".", ".."})
OVERLONG: Final = re.compile(
    rb"(?:\xc0|\xe0\x80|\xf0\x80\x80|\xf8\x80{3}|\xfc\x80{4})[\xae\xaf]"
    rb"|(?:\xc1|\xe0\x81|\xf0\x80\x81|\xf8\x80\x80\x81|\xfc\x80{3}\x81)\x9c"
)
"""A dot, a slash or a backslash in more bytes than UTF-8 allows, which old programs read all the same."""
UNICODE: Final = re.compile(rb"%u([0-9a-fA-F]{4})")
"""A character as some servers on Windows read it."""
WAY: Final = re.compile(r"\.(?:;.*)?|\ufffd*\.\ufffd*\.(?:[;?#\s\ufffd].*)?", re.DOTALL)
"""What some servers read as `.` or `..`: with parameters or a query behind, blanks, or bytes that are no UTF-8."""
CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
MOST_DECODED: Final = 5  # the last time to see that nothing changes any more


def refuse(message: str) -> NoReturn:
    """Refuse to send a request.

    Raises:
        StepError: ``http.invalid_request``, always.
    """
    raise StepError("http.invalid_request", message)


def shown(address: httpx2.URL) -> str:
    """Return an address without user and query, which may be confidential."""
    path = "".join(sign if sign.isprintable() else quote(sign, errors="replace") for sign in address.path)
    return f"{address.scheme}://{address.netloc.decode('ascii')}{path}"


def web_address(text: str, revealed: Revealed) -> httpx2.URL:
    """Return an http or https address.

    Raises:
        StepError: It is none.
    """
    try:
        address = httpx2.URL(text)
    except (httpx2.InvalidURL, ValueError) as error:
        refuse(f"`{revealed.hide(text)}` is not an address: {revealed.hide(str(error))}")
    if address.scheme not in PORTS or not address.host:
        refuse(f"`{revealed.hide(text)}` is not an http or https address")
    return address


def server_of(address: httpx2.URL) -> tuple[str, bytes, int]:
    """Return scheme, host and port, by which servers are told apart."""
    return address.scheme, address.raw_host.lower(), address.port or PORTS[address.scheme]


class AddressRule:
    """Decides where a request may go."""

    def first(self, text: str, revealed: Revealed) -> httpx2.URL:
        """Return the address that a request is sent to.

        Raises:
            StepError: ``http.invalid_request``: it is not one that the rule allows.
        """
        return web_address(text, revealed)

    def following(self, address: httpx2.URL, before: httpx2.URL) -> httpx2.URL:
        """Return the address that a reply sends the request on to.

        Raises:
            StepError: ``http.redirect``: the rule does not allow it.
        """
        return address


class AnyServer(AddressRule):
    """The rule of an address that the spec writes itself.

    Args:
        head: What the spec says of the server, ``None`` where no data follows it.
    """

    def __init__(self, head: str | None) -> None:
        self.head = head

    def first(self, text: str, revealed: Revealed) -> httpx2.URL:
        """Return the address, which must name the server that the spec names."""
        address = web_address(text, revealed)
        if self.head is not None:
            named = web_address(self.head, revealed)
            if server_of(named) != server_of(address) or named.userinfo != address.userinfo:
                refuse(f"{shown(address)} is another server than {shown(named)}, which the spec names")
        return address


class Listed(AddressRule):
    """The rule of an address from data, which must be one of those that the spec lists, or lie below one.

    Args:
        prefixes: The listed addresses.
    """

    def __init__(self, prefixes: Sequence[str], revealed: Revealed) -> None:
        self.prefixes = [with_plain_path(web_address(each, revealed)) for each in prefixes]

    def first(self, text: str, revealed: Revealed) -> httpx2.URL:
        """Return the address, without ways up in its path, if it lies below a listed one."""
        fit(text)
        address = web_address(text if ABSOLUTE.match(text) else str(self.relative(text, revealed)), revealed)
        if (found := self.allowed(address)) is None:
            refuse(f"{shown(address)} is not below an address that `only` lists")
        return found

    def relative(self, text: str, revealed: Revealed) -> httpx2.URL:
        """Return an address that says no server: what lies below the first prefix."""
        first = self.prefixes[0]
        try:
            return first.copy_with(raw_path=below(path_of(first)).encode("ascii")).join(text)
        except (httpx2.InvalidURL, ValueError) as error:
            refuse(f"`{revealed.hide(text)}` is not an address: {revealed.hide(str(error))}")

    def following(self, address: httpx2.URL, before: httpx2.URL) -> httpx2.URL:
        """Return the address that follows if it lies below a listed one too."""
        found = self.allowed(address) if address.scheme in PORTS else None
        if found is None:
            sent_on(before, f"to {address.host}, which is not below an address that `only` lists")
        return found

    def allowed(self, address: httpx2.URL) -> httpx2.URL | None:
        """Return an address without ways up in its path if one of the prefixes allows it."""
        if address.userinfo:
            return None
        address = with_plain_path(address)
        path = path_of(address)
        for prefix in self.prefixes:
            start = path_of(prefix)
            if server_of(prefix) == server_of(address) and (path == start or path.startswith(below(start))):
                return address
        return None


class AnyPublic(AddressRule):
    """The rule of an address from data that may be anywhere on the public internet; see ``public``."""

    def first(self, text: str, revealed: Revealed) -> httpx2.URL:
        """Return the address if it may be on the public internet."""
        fit(text)
        address = web_address(text, revealed)
        if why := unfit_for_public(address):
            refuse(f"{shown(address)} {why}")
        return address

    def following(self, address: httpx2.URL, before: httpx2.URL) -> httpx2.URL:
        """Return the address that follows if it is on the same host."""
        if address.scheme not in PORTS or address.raw_host.lower() != before.raw_host.lower():
            sent_on(before, f"to another host, {address.host}")
        if why := unfit_for_public(address):
            sent_on(before, f"to {shown(address)}, which {why}")
        return address


def rule_for(
    head: str | None, only: Sequence[str] | Literal["public"] | None, revealed: Revealed
) -> AddressRule:
    """Return the rule for a request.

    Args:
        head: What the spec says of the server, where data follows it.
        only: What an address from data must lie below; ``public`` for anything on the public internet.
    """
    if only is None:
        return AnyServer(head)
    return AnyPublic() if only == "public" else Listed(only, revealed)


def sent_on(before: httpx2.URL, where: str) -> NoReturn:
    raise StepError("http.redirect", f"{shown(before)} was sent on {where}")


def unfit_for_public(address: httpx2.URL) -> str:
    """Return why an address is not one that `only: public` may mean; empty if it may be."""
    if address.userinfo:
        return "names a user"
    if server_of(address)[2] not in PORTS.values():
        return "has another port than 80 and 443"
    return ""


def fit(text: str) -> None:
    """Raise for a text that programs read differently as an address."""
    if not text:
        refuse("the address is empty")
    if UNFIT.search(text):
        refuse("the address holds a blank, a backslash or a control character")


def path_of(address: httpx2.URL) -> str:
    return address.raw_path.partition(b"?")[0].decode("ascii")


def below(path: str) -> str:
    """Return what the path of everything below another one begins with."""
    return path if path.endswith("/") else f"{path}/"


def hides_way_up(part: str) -> bool:
    """Return whether some servers read a part of a path as a way up: beside a slash that is percent-encoded, with
    something behind that they leave off, encoded several times, in too many bytes, or around a control character.
    """
    plain = part.encode("ascii")
    for _ in range(MOST_DECODED):
        before, plain = plain, unquote_to_bytes(UNICODE.sub(_utf8, plain))
        if plain == before:
            break
    else:
        return True  # nobody encodes that often who does not hide something
    text = plain.decode("utf-8", "replace")
    if OVERLONG.search(plain) or CONTROL.search(text):
        return True
    return any(WAY.fullmatch(each) for each in re.split(r"[/\\]", text))


def _utf8(found: re.Match[bytes]) -> bytes:
    return chr(int(found[1], 16)).encode("utf-8", "surrogatepass")


def with_plain_path(address: httpx2.URL) -> httpx2.URL:
    """Return an address whose path has no `.` and `..`, however these are written.

    Raises:
        StepError: One is hidden, so that some servers see it and others do not.
    """
    raw, mark, query = address.raw_path.partition(b"?")
    kept: list[str] = []
    parts = raw.decode("ascii").split("/")[1:]
    for index, part in enumerate(parts):
        plain = unquote(part, errors="replace")
        if plain not in WAYS:
            if hides_way_up(part):
                refuse(f"{shown(address)} has a path that servers read in several ways")
            kept.append(part)
            continue
        if plain == ".." and kept:
            kept.pop()
        if index == len(parts) - 1:
            kept.append("")
    return address.copy_with(raw_path=b"/" + "/".join(kept).encode("ascii") + mark + query)
