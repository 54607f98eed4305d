"""What was found, with the severities that the project's settings give it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from wfc.compiler.slotted import replace
from wfc.compiler.workspace.severity import Levels, judged, levels_near

if TYPE_CHECKING:
    from wfc.compiler.cli.cache import Answer
    from wfc.compiler.passes import Compiled

    Checked = TypeVar("Checked", bound=Answer | Compiled)

__all__ = ["settings_of", "settled"]


def settled(compiled: Checked) -> Checked:
    """The same with the findings as the settings near the spec have them; without findings they are not read."""
    if not compiled.diagnostics:
        return compiled
    levels = levels_near(os.path.dirname(compiled.path)).levels
    return replace(compiled, diagnostics=judged(compiled.diagnostics, levels)) if levels else compiled


def settings_of(paths: Iterable[str]) -> list[Levels]:
    """The settings that hold for specs, those with something wrong in them, each once."""
    found = (levels_near(folder) for folder in dict.fromkeys(os.path.dirname(path) for path in paths))
    return list({each.path: each for each in found if each.diagnostics}.values())
