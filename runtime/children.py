"""What a run asks of whoever knows other workflows: to start and to stop runs of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from wfc.runtime.errors import StepError
from wfc.runtime.ticks import Broken

if TYPE_CHECKING:
    from wfc.runtime.run import Run
    from wfc.runtime.ticks import StartChild

__all__ = ["ALONE", "Children"]


class Children(Protocol):
    """Starts and stops child runs for a run."""

    def start(self, run: Run, want: StartChild) -> None:
        """Starts one. The run gets a tick ``Resolved`` or ``Broken`` of the same number, once, by ``take``."""

    def stop(self, run: Run, number: int) -> None:
        """Cancels the one that was started under a number; no tick comes of it any more."""


class _Alone:
    """Knows no other workflows."""

    def start(self, run: Run, want: StartChild) -> None:
        name = getattr(want.child.workflow, "__name__", want.child.workflow)
        run.take(Broken(want.number, StepError("workflow.unknown", f"no workflow `{name}` is known here")))

    def stop(self, run: Run, number: int) -> None:
        pass


ALONE: Final = _Alone()
