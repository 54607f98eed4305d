"""Whether the results of a step's calls may be used again."""

from __future__ import annotations

from dataclasses import dataclass

from wfc.runtime.errors import WorkflowValidationError

__all__ = ["Cache"]


@dataclass(frozen=True, slots=True)
class Cache:
    """Says that results of a step's calls may be used again.

    Args:
        seconds: How long one is good; ``None``: as long as the definition stays as it is.
        definition: A digest of the step's definition: another one, another result. By itself the function's name.

    Raises:
        WorkflowValidationError: The time is not positive.
    """

    seconds: float | None = None
    definition: str = ""

    def __post_init__(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise WorkflowValidationError("a result must be good for some time: `seconds` must be positive")
