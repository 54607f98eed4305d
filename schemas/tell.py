"""The settings of who is told of what waits for people, and of runs that failed: ``[tool.wfc.tell]``.

Both houses read it here: the check finds what is wrong with it, and the runtime goes by it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit

__all__ = ["WHAT", "BadTellError", "Tell", "read_tell"]

WHAT: Final = ("task", "reminder", "failed", "stuck", "late", "over_budget", "dead")
"""What there is to tell: an open question, a reminder of one, and the ways in which runs go wrong."""

WAYS: Final = ("program", "address", "workflow")
KEYS: Final = (*WAYS, "of", "people", "page")
LONGEST_NAME: Final = 200


class Tell(NamedTuple):
    """Who is told, and of what.

    Args:
        of: What is told, of ``WHAT``.
        program: A program that reads a message, with its arguments; empty: none.
        address: Where messages are sent to; empty: nowhere.
        secret: The environment variable with the address, where that is a secret; empty: it is none.
        workflow: The path of a spec, of which each message starts a run; empty: none.
        people: Addresses of people and groups, by their names.
        page: The address of the server's page, to which messages have links; empty: that of the server that tells.
    """

    of: frozenset[str]
    program: tuple[str, ...] = ()
    address: str = ""
    secret: str = ""
    workflow: str = ""
    people: Mapping[str, str] = {}
    page: str = ""


class BadTellError(ValueError):
    """The settings of who is told are wrong; ``key`` is the one that is, or empty."""

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


def read_tell(table: object, commands: Collection[str]) -> Tell:
    """Return what the table of settings says.

    Args:
        commands: The programs that the settings allow.

    Raises:
        BadTellError: It is wrong.
    """
    if not isinstance(table, dict):
        raise BadTellError("`tell` must be a table")
    for key in table:
        if key not in KEYS:
            raise BadTellError(f"`tell.{key}` is no setting; there are {_listed(KEYS)}", key)
    given = [way for way in WAYS if way in table]
    if len(given) != 1:
        said = "says nothing of" if not given else f"has {_listed(given)}, and needs one"
        raise BadTellError(f"`tell` {said} how to tell: {_listed(WAYS)}", given[1] if given else "")
    program: tuple[str, ...] = ()
    address = secret = workflow = ""
    if "program" in table:
        program = _program(table["program"], commands)
    elif "address" in table:
        address, secret = _address(table["address"])
    else:
        workflow = _workflow(table["workflow"])
    return Tell(_of(table), program, address, secret, workflow, _people(table), _page(table))


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _program(value: object, commands: Collection[str]) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and one for one in value):
        raise BadTellError("`tell.program` must be a list: the program and its arguments", "program")
    if value[0] not in commands:
        raise BadTellError(
            f"`tell.program`: `{value[0]}` is not allowed: name it under `commands` too", "program"
        )
    return tuple(value)


def _address(value: object) -> tuple[str, str]:
    if isinstance(value, dict) and list(value) == ["secret"]:
        name = value["secret"]
        if isinstance(name, str) and name.isidentifier():
            return "", name
    elif isinstance(value, str) and _is_address(value):
        return value, ""
    raise BadTellError(
        "`tell.address` must be an address such as https://hooks.example.com/x, or `{secret = NAME}` with the name of "
        "the environment variable that has it",
        "address",
    )


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.username is None
    except ValueError:
        return False


def _workflow(value: object) -> str:
    if not isinstance(value, str) or not value.endswith((".yaml", ".yml", ".json")):
        raise BadTellError(
            "`tell.workflow` must be the path of a spec, from this file's folder, such as ops/notify.yaml",
            "workflow",
        )
    return value


def _of(table: Mapping[str, object]) -> frozenset[str]:
    value = table.get("of", list(WHAT))
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise BadTellError(f"`tell.of` must be a list of {_listed(WHAT)}", "of")
    for one in value:
        if one not in WHAT:
            raise BadTellError(f"`tell.of`: there is no `{one}` to tell; there is {_listed(WHAT)}", "of")
    return frozenset(value)


def _page(table: Mapping[str, object]) -> str:
    value = table.get("page", "")
    if "page" in table and not (isinstance(value, str) and _is_address(value) and "#" not in value):
        raise BadTellError(
            "`tell.page` must be the address of the server's page, such as https://desk.example.com", "page"
        )
    return str(value).rstrip("/")


def _people(table: Mapping[str, object]) -> Mapping[str, str]:
    value = table.get("people", {})
    if not isinstance(value, dict) or not all(isinstance(one, str) and one for one in value.values()):
        raise BadTellError(
            '`tell.people` must be a table of addresses by name, such as {"user:ann" = "ann@example.com"}',
            "people",
        )
    return value
