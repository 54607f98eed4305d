"""Named texts: their declaration under `prompts`, and their use in a step, whose scope their expressions see."""

from __future__ import annotations

from bisect import bisect_left

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Prompt
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.slotted import replace

__all__ = ["read_prompt"]


def read_prompt(
    data: object, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> Template:
    """Return the text of a `prompt`, `system` or `show`: written there, or by the name of one under
    `prompts`.
    """
    if not isinstance(data, dict):
        return reader.text(data, place, scope, statements=True)
    name, used = data.get("use"), place / "use"
    prompt = declared.prompts.find(name, used, declared.report) if isinstance(name, str) else None
    if prompt is None:
        return reader.text("", place, scope)
    inside = ValueReader(PromptReporter(prompt, used, declared).report)
    template = inside.text(prompt.text, prompt.place, scope, statements=True)
    reader.uses |= inside.uses
    return template


class PromptReporter:
    """A reporter for one use of a prompt, which leaves out what an earlier use has reported.

    Args:
        prompt: The text.
        used: Where it is used.
    """

    def __init__(self, prompt: Prompt, used: Place, declared: Declarations) -> None:
        self.prompt = prompt
        self.used = used
        self.declared = declared
        self.before = dict(declared.found_in_prompts)

    def report(self, finding: Finding) -> None:
        """Report a finding at a place where nothing as severe was found before, since that may be the same
        mistake.
        """
        place = self.written(finding.place)
        if self.before.get(place, 0) >= finding.severity:
            return
        self.declared.found_in_prompts[place] = finding.severity
        self.declared.report(
            replace(
                finding,
                place=place,
                related=(
                    *((self.written(other), words) for other, words in finding.related),
                    (self.used, "used here"),
                ),
                fix=None if finding.fix is None else self.fix(finding.fix),
            )
        )

    def fix(self, fix: Fix) -> Fix:
        """Return a fix in terms of the prompt's file; only for display if `--fix` does not write that file."""
        edits = tuple(replace(edit, place=self.written(edit.place)) for edit in fix.edits)
        applicability = fix.applicability if self.prompt.place.origin is None else "display"
        return replace(fix, edits=edits, applicability=applicability)

    def written(self, place: Place) -> Place:
        """Return a place in the text as its file has it, where a line may end with two characters."""
        breaks = self.prompt.breaks
        if not breaks or place.part != "text" or place.start is None or place.end is None:
            return place
        return place.stretch(
            place.start + bisect_left(breaks, place.start), place.end + bisect_left(breaks, place.end)
        )
