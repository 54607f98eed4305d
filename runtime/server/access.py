"""Who may do what: principals with roles, found by the digests of their tokens."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from wfc.runtime.errors import SettingsError

__all__ = [
    "NOBODY",
    "ROLES",
    "Access",
    "Principal",
    "digest_of",
    "new_token",
    "read_principals",
    "read_tables",
]

ROLES: Final = ("see", "start", "answer", "operate", "author")
"""What a principal may do: see runs, start them, answer questions, all that changes runs besides, and write specs."""

LEAST: Final = 32
"""The characters that a token has at least, so that nobody guesses it."""

_TABLES: Final = {"principal", "form", "chat"}
_KEYS: Final = {"name", "roles", "sha256", "workflows", "groups", "expires"}


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who may do something.

    Args:
        name: As answers name people: ``user:ann``.
        workflows: Patterns of the names of those workflows that this is about.
        groups: The groups whose questions this one answers too, such as ``leads``.
        digest: SHA-256 of the token; empty: none is this one's.
        expires: The moment, in seconds since 1970, from which on the token counts no more.
    """

    name: str
    roles: frozenset[str]
    workflows: tuple[str, ...] = ("*",)
    groups: tuple[str, ...] = ()
    digest: str = ""
    expires: float | None = None

    def may(self, role: str) -> bool:
        """Return whether this one has a role; who operates sees, too."""
        return role in self.roles or (role == "see" and "operate" in self.roles)

    def knows(self, workflow: str) -> bool:
        """Return whether a workflow, or a part of it, is among this one's."""
        return any(fnmatchcase(workflow.partition(".")[0], pattern) for pattern in self.workflows)

    @property
    def knows_all(self) -> bool:
        """Return whether all workflows are among this one's."""
        return "*" in self.workflows

    @property
    def names(self) -> list[str]:
        """Return the names by which questions may be assigned to this one."""
        return [self.name, self.name.removeprefix("user:"), *(f"group:{one}" for one in self.groups)]


NOBODY: Final = Principal("", frozenset(), workflows=())
"""Who has shown no token; for what anybody may ask."""


class Access:
    """The principals of a server.

    Raises:
        SettingsError: Two have the same token.
    """

    def __init__(self, principals: Iterable[Principal]) -> None:
        self.principals = tuple(principals)
        digests = [one.digest for one in self.principals if one.digest]
        if len(set(digests)) < len(digests):
            raise SettingsError("two principals have the same token: then nobody knows who it was")

    def find(self, token: str) -> Principal | None:
        """Return whose token it is; ``None``: nobody's, or it counts no more.

        All digests are compared, each in constant time, so that the time tells nothing of any.
        """
        digest, found = digest_of(token), None
        for one in self.principals:
            if hmac.compare_digest(one.digest, digest):
                found = one
        if found is None or (found.expires is not None and found.expires <= time.time()):
            return None
        return found


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """Return the digest of a token, as files of principals have it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def of_token(token: str, name: str, groups: Sequence[str] = (), where: str = "the token") -> Principal:
    """Return the principal with all roles that has a token.

    Raises:
        SettingsError: The token is so short that it may be guessed.
    """
    if len(token) < LEAST:
        raise SettingsError(f"{where} has fewer than {LEAST} characters, and may be guessed")
    return Principal(name, frozenset(ROLES), groups=tuple(groups), digest=digest_of(token))


def read_tables(path: Path) -> dict[str, list[Mapping[str, Any]]]:
    """Return the tables of an operator's file, by what they are: ``principal``, ``form`` and ``chat``.

    Raises:
        SettingsError: The file cannot be read, or has something else.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{path} is not TOML: {error}") from None
    told = f"{path} has tables `[[principal]]`, `[[form]]` and `[[chat]]`, and nothing else"
    if not data or set(data) - _TABLES:
        raise SettingsError(told)
    for tables in data.values():
        if not isinstance(tables, list) or not all(isinstance(one, Mapping) for one in tables):
            raise SettingsError(told)
    return data


def read_principals(path: Path) -> list[Principal]:
    """Return the principals of a file: a table ``[[principal]]`` for each, with the digest of its token.

    Raises:
        SettingsError: The file cannot be read, or something in it is wrong.
    """
    tables = read_tables(path).get("principal", [])
    return [_principal(one, f"{path}: principal {number}") for number, one in enumerate(tables, 1)]


def _principal(table: Mapping[str, Any], where: str) -> Principal:
    if unknown := sorted(set(table) - _KEYS):
        raise SettingsError(f"{where}: there is no `{unknown[0]}`; there are {', '.join(sorted(_KEYS))}")
    name, digest, expires = table.get("name"), table.get("sha256"), table.get("expires")
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or "," in name:
        raise SettingsError(f"{where}: `name` is such as `user:ann`")
    if not isinstance(digest, str) or len(digest) != 64 or set(digest) - set("0123456789abcdef"):
        raise SettingsError(
            f"{where}: `sha256` is the digest of a token: `wfc serve --new-token NAME` makes one"
        )
    roles = _texts(table, "roles", where)
    if not roles or set(roles) - set(ROLES):
        raise SettingsError(f"{where}: `roles` are of {', '.join(ROLES)}")
    workflows = tuple(_texts(table, "workflows", where) or ["*"])
    if "author" in roles and "*" not in workflows:
        told = "an author writes the specs of a whole folder, so `workflows` cannot bound this one"
        raise SettingsError(f"{where}: {told}")
    return Principal(
        name,
        frozenset(roles),
        workflows,
        tuple(one.removeprefix("group:") for one in _texts(table, "groups", where)),
        digest,
        _moment(expires, where),
    )


def _moment(value: Any, where: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise SettingsError(f"{where}: `expires` is a moment such as 2027-01-31T00:00:00Z, without quotes")
    return (value if value.tzinfo is not None else value.replace(tzinfo=UTC)).timestamp()


def _texts(table: Mapping[str, Any], key: str, where: str) -> list[str]:
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise SettingsError(f"{where}: `{key}` is a list of texts")
    return found
