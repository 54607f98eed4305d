"""Settings of a spec for its runs as a whole: exits, limits, and old names that runs may still use."""

from __future__ import annotations

from wfc.compiler.expressions import Expression
from wfc.compiler.model.exits import Emit, Exit
from wfc.compiler.model.values import Value
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds: numbers, or expressions of inputs and config (`concurrent_runs`: of config); ``None``: none.

    Args:
        per: A value of the inputs; ``concurrent_runs`` is for each of its values by itself.
    """

    steps: int | Expression | None = None
    tokens: int | Expression | None = None
    cost_usd: float | Expression | None = None
    concurrent_runs: int | Expression | None = None
    per: Expression | None = None


@dataclass(frozen=True, slots=True)
class Migration:
    """How what a run of an earlier version holds is converted.

    Args:
        of: ``state``, or the present name of an event.
        before: The fields that a run has there, if it is to be converted.
        values: The fields that are made of these, by name.
    """

    of: str
    before: Record
    values: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """The settings of a spec for a run as a whole.

    Args:
        on_error: Where a run goes when a step fails and has no way out of its own; ``None``: it fails.
        on_deadline: Where it goes when its time is up.
        on_cancel: Where it goes when it is cancelled.
        moved: Old names of steps and events, each with its new one.
        removed: Old names of those that are gone.
        migrations: How values of paused runs are converted.
    """

    on_error: Exit | None = None
    on_deadline: Exit | None = None
    on_cancel: Exit | None = None
    limits: Limits | None = None
    moved: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()
    migrations: tuple[Migration, ...] = ()

    @property
    def exits(self) -> tuple[tuple[str, Exit], ...]:
        """The exits that are declared, each with its key in the spec."""
        found = (
            ("on_error", self.on_error),
            ("on_deadline", self.on_deadline),
            ("on_cancel", self.on_cancel),
        )
        return tuple((key, exit_) for key, exit_ in found if exit_ is not None)

    @property
    def leading_on(self) -> tuple[tuple[str, Emit], ...]:
        """The emits of the exits that do not end the run but go on to steps, each with the exit's key."""
        return tuple(
            (key, entry.emission)
            for key, exit_ in self.exits
            for entry in exit_.entries
            if isinstance(entry.emission, Emit) and entry.emission.event.role == "message"
        )


__all__ = ["Limits", "Migration", "Whole"]
