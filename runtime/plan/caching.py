"""The cache option of a step: reuse of the results of its calls."""

from __future__ import annotations

from dataclasses import dataclass

from wfc.runtime.errors import WorkflowValidationError

__all__ = ["Cache"]


@dataclass(frozen=True, slots=True)
class Cache:
    """The rule by which results of a step's calls are reused.

    Args:
        seconds: How long a result stays valid; ``None``: until the definition changes.
        definition: A digest of the step's definition; a result is not reused under a different one. By
            default the function's name.

    Raises:
        WorkflowValidationError: The time is not positive.
    """

    seconds: float | None = None
    definition: str = ""

    def __post_init__(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise WorkflowValidationError("a result must be good for some time: `seconds` must be positive")
