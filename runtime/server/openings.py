"""What the operator of a server has opened to people without tokens: forms that start runs, and workflows to talk with.

No spec can open anything: this is read from the operator's own file, beside the principals.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.errors import SettingsError
from wfc.runtime.server.access import read_tables
from wfc.runtime.server.calls import Problem

__all__ = ["Opening", "Openings", "read_openings", "talk_of"]

PER_MINUTE: Final = 30
"""How many runs an opening starts in a minute, unless its settings say otherwise."""

MOST_PER_MINUTE: Final = 6000

PER_HOUR: Final = 120
"""How many messages a link to a talk is good for in an hour, unless its settings say otherwise."""

MOST_PER_HOUR: Final = 36_000
MOST_COUNTED: Final = 10_000
"""The talks whose messages are counted; those that have been silent for longest are forgotten."""

_HOUR: Final = 3600.0
_KEYS: Final = {"workflow", "name", "to", "per_minute", "title"}
_CHAT_KEYS: Final = _KEYS | {"replies", "per_hour", "text_of"}

To = Literal["anybody", "links", "principals"]


@dataclass
class Opening:
    """A form or a talk that is open.

    Args:
        kind: What it is: ``form`` or ``chat``.
        name: What it is called in addresses.
        workflow: What it starts.
        to: For whom: ``anybody``, those with a ``link``, or principals alone.
        per_minute: How many runs strangers start by it in a minute, in this process.
        title: What people read above it.
        replies: Of a talk: which fields of which events are shown, such as ``Answered.text``.
        per_hour: Of a talk: how many messages come in an hour by one link, in this process.
        text_of: Of a talk: the steps whose model's text is shown as it comes.
    """

    kind: Literal["form", "chat"]
    name: str
    workflow: str
    to: To = "principals"
    per_minute: int = PER_MINUTE
    title: str = ""
    replies: Mapping[str, str] = field(default_factory=dict)
    per_hour: int = PER_HOUR
    text_of: frozenset[str] = frozenset()
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        """Nothing has come yet."""
        self._came: deque[float] = deque()
        self._said: dict[str, deque[float]] = {}  # when, by talks; who spoke last stands last

    def come_in(self) -> None:
        """Let one more start a run.

        Raises:
            Problem: So many have that this one has to wait.
        """
        self._count(self._came, self.per_minute, 60, "too many have come: try again later")

    def hear(self, talk: str) -> None:
        """Let one more message of a talk come by its link.

        Raises:
            Problem: So many have in the last hour that this one has to wait.
        """
        said = self._said.pop(talk, None) or deque()
        self._said[talk] = said
        while len(self._said) > MOST_COUNTED:
            del self._said[next(iter(self._said))]
        self._count(said, self.per_hour, _HOUR, "too much was said by this link: try again later")

    def _count(self, came: deque[float], most: int, seconds: float, told: str) -> None:
        """Count one more of so many in any stretch of some seconds.

        Raises:
            Problem: It is one too many.
        """
        now = self.clock()
        while came and came[0] <= now - seconds:
            came.popleft()
        if len(came) >= most:
            wait = str(max(1, math.ceil(came[0] + seconds - now)))
            raise Problem(429, f"{self.kind}.busy", told, headers={"Retry-After": wait})
        came.append(now)


@dataclass(frozen=True)
class Openings:
    """All that is open, by names."""

    forms: Mapping[str, Opening] = field(default_factory=dict)
    chats: Mapping[str, Opening] = field(default_factory=dict)

    def form(self, name: str, to: To) -> Opening:
        """Return a form that is open to somebody.

        Raises:
            Problem: There is none.
        """
        found = self.forms.get(name)
        if found is None or to not in {found.to, "principals"}:
            raise Problem(404, "form.unknown", f"there is no form `{name[:100]}`")
        return found

    def chat(self, name: str, to: To) -> Opening:
        """Return a talk that is open to somebody.

        Raises:
            Problem: There is none.
        """
        found = self.chats.get(name)
        if found is None or to not in {found.to, "principals"}:
            raise Problem(404, "chat.unknown", f"there is no chat `{name[:100]}`")
        return found

    def check(self, workflows: Mapping[str, StartableWorkflow]) -> None:
        """Check whether what is open fits the workflows that are served.

        Raises:
            SettingsError: It does not.
        """
        for one in (*self.forms.values(), *self.chats.values()):
            workflow = workflows.get(one.workflow)
            if workflow is None:
                raise SettingsError(
                    f"the {one.kind} `{one.name}` is of `{one.workflow}`, which is not served"
                )
            if one.kind == "chat":
                talk_of(workflow)
            if unknown := sorted(one.text_of - workflow._wfc.plan.by_name.keys()):
                raise SettingsError(
                    f"the chat `{one.name}`: `{one.workflow}` has no step `{unknown[0]}` for `text_of`"
                )


def talk_of(workflow: StartableWorkflow) -> tuple[str, str, str | None]:
    """Return the event by which somebody talks to a workflow, its field for the text, and that for the run's key.

    Raises:
        SettingsError: The workflow does not receive one event with one text beside its key.
    """
    own = workflow._wfc
    if len(own.run_rules.receives) == 1:
        ((name, receives),) = own.run_rules.receives.items()
        fields = {key: one for key, one in receives.event.model_fields.items() if key != receives.key}
        if len(fields) == 1 and next(iter(fields.values())).annotation is str:
            return name, next(iter(fields)), receives.key
    told = "one with whom one can talk receives one event, which has one text beside its key"
    raise SettingsError(f"`{own.name}` is no workflow for a chat: {told}")


# --- the operator's file


def read_openings(path: Path) -> Openings:
    """Return what a file opens: a table ``[[form]]`` or ``[[chat]]`` for each.

    Raises:
        SettingsError: The file cannot be read, or something in it is wrong.
    """
    tables = read_tables(path)
    found: dict[str, dict[str, Opening]] = {"form": {}, "chat": {}}
    for kind in ("form", "chat"):
        for number, table in enumerate(tables.get(kind, ()), 1):
            one = _opening(kind, table, f"{path}: {kind} {number}")
            if found[kind].setdefault(one.name, one) is not one:
                raise SettingsError(f"{path}: there are two of `[[{kind}]]` with the name `{one.name}`")
    return Openings(found["form"], found["chat"])


def _opening(kind: Any, table: Mapping[str, Any], where: str) -> Opening:
    known = _CHAT_KEYS if kind == "chat" else _KEYS
    if unknown := sorted(set(table) - known):
        raise SettingsError(f"{where}: there is no `{unknown[0]}`; there are {', '.join(sorted(known))}")
    workflow = table.get("workflow")
    name, title = table.get("name", workflow), table.get("title", "")
    for key, text in (("workflow", workflow), ("name", name)):
        if (
            not isinstance(text, str)
            or not text.replace("_", "a").replace("-", "a").isalnum()
            or len(text) > 100
        ):
            raise SettingsError(f"{where}: `{key}` is a name of letters, digits, `_` and `-`")
    if not isinstance(title, str) or len(title) > 500:
        raise SettingsError(f"{where}: `title` is a text of 500 characters at most")
    to = table.get("to", "principals" if kind == "chat" else None)
    if to not in ({"anybody", "links", "principals"} if kind == "chat" else {"anybody", "links"}):
        raise SettingsError(f"{where}: `to` says for whom it is open: `anybody` or `links`")
    return Opening(
        kind,
        str(name),
        str(workflow),
        to,
        _number(table, "per_minute", PER_MINUTE, MOST_PER_MINUTE, where),
        title,
        _replies(table.get("replies", []), kind, where),
        _number(table, "per_hour", PER_HOUR, MOST_PER_HOUR, where),
        _steps(table.get("text_of", []), where),
    )


def _number(table: Mapping[str, Any], key: str, default: int, most: int, where: str) -> int:
    found = table.get(key, default)
    if not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= most:
        raise SettingsError(f"{where}: `{key}` is a whole number from 1 to {most}")
    return found


def _steps(given: object, where: str) -> frozenset[str]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise SettingsError(f'{where}: `text_of` is a list of steps such as ["answer"]')
    return frozenset(given)


def _replies(given: object, kind: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given if isinstance(given, list) else [None]:
        event, dot, attribute = one.partition(".") if isinstance(one, str) else ("", "", "")
        if not (event.isidentifier() and dot and attribute.isidentifier()):
            raise SettingsError(
                f'{where}: `replies` is a list such as ["Answered.text"]: an event and its field'
            )
        found[event] = attribute
    if kind == "chat" and not found:
        raise SettingsError(
            f'{where}: `replies` says what is shown of the workflow, such as ["Answered.text"]'
        )
    return found
