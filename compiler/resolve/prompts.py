"""Named texts: what `prompts` declares, and its use in a step, whose scope their expressions see."""

from __future__ import annotations

from bisect import bisect_left

from wfc.compiler.diagnostics import Finding, Fix, Origin, Place
from wfc.compiler.expressions import Scope, Template
from wfc.compiler.model import Prompt
from wfc.compiler.resolve.declared import Declared
from wfc.compiler.resolve.imports import report_refused
from wfc.compiler.resolve.names import check_style
from wfc.compiler.resolve.surroundings import Refused
from wfc.compiler.resolve.values import Texts
from wfc.compiler.rules.names import name_declared_twice
from wfc.compiler.slotted import replace

__all__ = ["declare_prompts", "prompted"]


def declare_prompts(declared: Declared) -> None:
    """Enter the texts under `prompts`; what their expressions mean is known only where they are used."""
    declared.prepare("prompts", declared.prompts)
    for name, content, address in declared.entries("prompts"):
        place = Place(address)
        if name in declared.prompts.nodes:
            first = Place(declared.prompts.nodes[name].address).key
            declared.report(name_declared_twice(place.key, name, first, "a prompt"))
            continue
        found = None
        if check_style(name, place.key, "prompt", declared.report):
            if isinstance(content, str):
                found = Prompt(name, content, place, address)
            elif isinstance(content, dict) and isinstance(content.get("file"), str):
                found = from_file(name, content["file"], place, declared)
        if found is None:
            declared.prompts.broken.add(name)
        else:
            declared.prompts.nodes[name] = found


def from_file(name: str, path: str, place: Place, declared: Declared) -> Prompt | None:
    """A text in a file of its own, with line breaks as YAML would read them."""
    found = declared.around.text(path)
    if isinstance(found, Refused):
        report_refused(found, path, place / "file", "a text", declared.report)
        return None
    shown, raw = found
    pieces = raw.split("\r\n")
    breaks, length = [], -1
    for piece in pieces[:-1]:
        length += len(piece) + 1
        breaks.append(length)
    text = "\n".join(pieces).replace("\r", "\n")
    return Prompt(name, text, Place((Origin(shown),), "text"), place.address, tuple(breaks))


def prompted(data: object, place: Place, scope: Scope, declared: Declared, texts: Texts) -> Template:
    """The text of a `prompt`, `system` or `show`: written there, or by the name of one under `prompts`."""
    if not isinstance(data, dict):
        return texts.text(data, place, scope, statements=True)
    name, used = data.get("use"), place / "use"
    prompt = declared.prompts.find(name, used, declared.report) if isinstance(name, str) else None
    if prompt is None:
        return texts.text("", place, scope)
    inside = Texts(Once(prompt, used, declared).report)
    template = inside.text(prompt.text, prompt.place, scope, statements=True)
    texts.uses |= inside.uses
    return template


class Once:
    """Reports what one use of a prompt finds in its text, but not what an earlier use has found there.

    Args:
        prompt: The text.
        used: Where it is used.
    """

    def __init__(self, prompt: Prompt, used: Place, declared: Declared) -> None:
        self.prompt = prompt
        self.used = used
        self.declared = declared
        self.before = dict(declared.found_in_prompts)

    def report(self, finding: Finding) -> None:
        """Take a finding. Of a place where nothing as grave has been found, for that may be the same mistake."""
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
        """A fix as its file has it; in another file than the spec, which `--fix` does not write, for a person."""
        edits = tuple(replace(edit, place=self.written(edit.place)) for edit in fix.edits)
        applicability = fix.applicability if self.prompt.place.origin is None else "display"
        return replace(fix, edits=edits, applicability=applicability)

    def written(self, place: Place) -> Place:
        """A place in the text as its file has it, where a line may end with two characters."""
        breaks = self.prompt.breaks
        if not breaks or place.part != "text" or place.start is None or place.end is None:
            return place
        return place.stretch(
            place.start + bisect_left(breaks, place.start), place.end + bisect_left(breaks, place.end)
        )
