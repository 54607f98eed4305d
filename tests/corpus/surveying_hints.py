"""Judges the hint of every finding of the corpus: does it lead back from the mistake to what stood there before?

    python tests/corpus/surveying_hints.py --shown 3 --least 1

What stood there is known, so a hint is suspicious that is of another place than the change, or names things that do not
occur in it, or whose fix gives a spec that is neither without findings nor the one before. The suspicious ones are
grouped by their code, their words without the names, and the class of the mistake; the largest groups come first.
Suspicious is not wrong: a group is to be read.
"""

from __future__ import annotations

import argparse
import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from drawing_hints import mistakes, shown, tables
from mutations import MUTATIONS, mutants
from sources import sources

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.fixes import apply_fixes
from wfc.compiler.passes import check_text
from wfc.compiler.yaml import read

TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|[^\sA-Za-z0-9_]")
NAMED = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Change:
    """What a mistake changed: the words that are gone and that came, and the lines of the new text."""

    gone: frozenset[str]
    came: frozenset[str]
    lines: frozenset[int]


def change(before: str, after: str) -> Change:
    """The difference of two texts, by words and by lines."""
    old, new = before.split("\n"), after.split("\n")
    gone, came, at = set(), set(), set()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        at.update(range(j1 + 1, max(j2, j1 + 1) + 1))
        ours, theirs = TOKEN.findall("\n".join(old[i1:i2])), TOKEN.findall("\n".join(new[j1:j2]))
        for what, k1, k2, l1, l2 in difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
            if what != "equal":
                gone.update(ours[k1:k2])
                came.update(theirs[l1:l2])
    return Change(frozenset(gone), frozenset(came), frozenset(at))


def same(before: str, after: str) -> bool:
    """Whether two texts hold the same data."""
    one, other = (read(each.encode(), "spec.yaml", lambda _: None).data for each in (before, after))
    return bool(one == other)


def suspicion(before: str, after: str, finding: Diagnostic, what: Change) -> str:
    """What speaks against a hint, in a word; empty if nothing does."""
    if finding.fix is not None and finding.fix.applicability != "display":
        mended, done = apply_fixes(after, [finding], {finding.fix.applicability})
        if done and same(before, mended):
            return ""
        left = check_text(mended.encode(), "spec.yaml").diagnostics
        if left:
            return "fix leaves " + left[0].code
        if len(TOKEN.findall(mended)) < len(TOKEN.findall(after)):
            return "fix says less"
        return "fix gives another spec"
    named = {word for each in NAMED.findall(finding.hint) for word in TOKEN.findall(each)}
    if named & what.gone - what.came or (named and named <= what.gone | what.came):
        return ""
    lines = set(range(finding.start.line, finding.end.line + 1))
    if not lines & what.lines:
        return "elsewhere"
    return "names others" if named else "no names"


def all_mistakes(drawn: int, seed: str) -> Iterator[tuple[str, str, str]]:
    """The class of each mistake of the corpus, and the text before and after; and some that are drawn."""
    found = sources()
    by_name = {each.name: each.text for each in found}
    for name, made in mutants(found).items():
        for mutant in made:
            yield name, by_name[mutant.name.partition(": ")[0]], mutant.text
    for before, after in tables():
        yield "a table", before, after
    chance = Random(seed)  # noqa: S311 - a reproducible choice
    for _, (name, before, after) in zip(range(drawn), mistakes(chance), strict=False):
        if after != before:
            yield name if name in MUTATIONS or name == "a table" else "drawn", before, after


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--drawn", type=int, default=0, help="how many mistakes are drawn as well")
    parser.add_argument("--seed", default="a")
    parser.add_argument("--shown", type=int, default=3, help="how many of each group are shown")
    parser.add_argument("--least", type=int, default=1, help="the smallest group that is shown")
    given = parser.parse_args()
    count: Counter[str] = Counter()
    groups: defaultdict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for name, before, after in all_mistakes(given.drawn, given.seed):
        found = check_text(after.encode(), "spec.yaml").diagnostics
        what = change(before, after)
        for each in found:
            if not each.hint and each.fix is None:
                count["without a hint"] += 1
                continue
            said = suspicion(before, after, each, what)
            count[said.partition(" leaves ")[0] or "right"] += 1
            if said:
                shape = NAMED.sub("`", each.hint)
                fix = "" if each.fix is None else f"\n      fix: {each.fix.title} ({each.fix.applicability})"
                groups[each.code, shape, said, name].append(
                    "\n".join(shown(before, after))
                    + f"\n  {each.start.line}:{each.start.column} {each.code} ({len(found)}): {each.message}"
                    + f"\n      = {each.hint}{fix}"
                )
    for (code, shape, said, name), made in sorted(groups.items(), key=lambda each: -len(each[1])):
        if len(made) >= given.least:
            print(f"##### {len(made)} × {code}: {shape}: {said}: {name}", *made[: given.shown], sep="\n")
    print(dict(count), f"{len(groups)} groups")


if __name__ == "__main__":
    main()
