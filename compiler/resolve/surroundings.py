"""What a spec may know of the files around it, handed to the resolution from outside: it opens no file itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, Protocol

from wfc.compiler.slotted import dataclass

if TYPE_CHECKING:
    from wfc.compiler.resolve.declared import Declared
    from wfc.compiler.schema import Spec

__all__ = ["ALONE", "Around", "Refused", "Surroundings"]


@dataclass(frozen=True, slots=True)
class Around:
    """Another file that was read.

    Args:
        path: As findings show it; the ``Origin`` of places in it.
        declared: What it declares.
    """

    path: str
    declared: Declared


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a file cannot be used: ``reason`` goes on after its path; ``broken`` has findings of its own."""

    why: Literal["missing", "outside", "other", "cycle", "broken"]
    reason: str


class Surroundings(Protocol):
    """The files that a spec may mention. Paths are as the spec writes them, relative to it."""

    @property
    def path(self) -> str:
        """The spec's own path, as findings show it; empty where it has none."""

    @property
    def alone(self) -> bool:
        """Whether nothing is known of other specs, so that none can be said to be missing."""

    def shared(self, path: str) -> Around | Refused:
        """A file of declarations."""

    def part(self, path: str) -> tuple[str, Spec] | Refused:
        """A file with steps of this workflow, and its path as findings show it."""

    def text(self, path: str) -> tuple[str, str] | Refused:
        """The text of a file, and its path as findings show it."""

    def workflow(self, name: str) -> Around | None:
        """The other spec whose workflow has this name."""

    def workflows(self) -> Iterable[str]:
        """The names of all workflows around, this one's included."""

    def twin(self, name: str) -> str | None:
        """The path of another spec, of those that are looked at together and before this one, of the same name."""


class Alone:
    """A spec of which only the text is known."""

    path = ""
    alone = True

    def shared(self, path: str) -> Refused:
        """There is none."""
        return Refused("missing", "no files can be read here")

    part = text = shared

    def workflow(self, name: str) -> None:
        """There is none."""

    def workflows(self) -> Iterable[str]:
        """There are none."""
        return ()

    def twin(self, name: str) -> None:
        """There is none."""


ALONE: Surroundings = Alone()
