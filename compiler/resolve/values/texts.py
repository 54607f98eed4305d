"""Named texts: their declaration under `texts`, and their use in a step, whose scope their expressions see."""

from __future__ import annotations

from bisect import bisect_left

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.expressions import Scope, SourceText, Template
from wfc.compiler.model import NamedText
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import Optional

__all__ = ["read_prompt", "text_named"]


def read_prompt(
    data: object, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> Template:
    """Return the text of a `prompt`, `system` or `show`: written there, or by the name of one under `texts`."""
    if not isinstance(data, dict):
        return reader.text(data, place, scope, whole=False)
    name, used = data.get("use"), place / "use"
    found = text_named(name, used, declared) if isinstance(name, str) else None
    if found is None:
        return reader.text("", place, scope)
    inside = ValueReader(found.report)
    for argument, field in found.args.fields.items():
        if not isinstance(field.type, Optional):
            signature = f"{{% use {name}({argument}=…) %}}"
            reader.report(operand_problems.missing_argument(used, str(name), argument, signature))
            inside = ValueReader(lambda _: None)
            break
    if found.args.fields:
        scope = scope.with_name("args", found.args)
    template = inside.text(found.text, found.place, scope, whole=False)
    reader.uses |= inside.uses
    return template


def text_named(name: str, place: Place, declared: Declarations) -> SourceText | None:
    """Return the text of a name for a place where it is used; ``None`` for one that is reported."""
    found = declared.texts.find(name, place, declared.report)
    if found is None:
        return None
    return SourceText(found.text, found.place, found.args, TextReporter(found, place, declared).report)


class TextReporter:
    """A reporter for one use of a text, which leaves out what an earlier use has reported.

    Args:
        named: The text.
        used: Where it is used.
    """

    def __init__(self, named: NamedText, used: Place, declared: Declarations) -> None:
        self.named = named
        self.used = used
        self.declared = declared
        self.before = dict(declared.found_in_texts)

    def report(self, finding: Finding) -> None:
        """Report a finding at a place where nothing as severe was found before, since that may be the same
        mistake.
        """
        place = self.written(finding.place)
        if self.before.get(place, 0) >= finding.severity:
            return
        self.declared.found_in_texts[place] = finding.severity
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
        """Return a fix in terms of the text's file; only for display if `--fix` does not write that file."""
        edits = tuple(replace(edit, place=self.written(edit.place)) for edit in fix.edits)
        applicability = fix.applicability if self.named.place.origin is None else "display"
        return replace(fix, edits=edits, applicability=applicability)

    def written(self, place: Place) -> Place:
        """Return a place in the text as its file has it, where a line may end with two characters."""
        breaks = self.named.breaks
        if not breaks or place.part != "text" or place.start is None or place.end is None:
            return place
        return place.stretch(
            place.start + bisect_left(breaks, place.start), place.end + bisect_left(breaks, place.end)
        )
