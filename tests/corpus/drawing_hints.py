"""Draws findings with hints from varied mistakes in all specs, to be read with fresh eyes: would anyone be misled?

    python tests/corpus/drawing_hints.py --seed some-word --count 200

A mistake is a mutation of the corpus, one of its tables, or what becomes of a text in an editor: lines and words that
are dropped, doubled, moved, exchanged or taken from elsewhere. Of findings that say the same in other names two are
shown.
"""

from __future__ import annotations

import argparse
import difflib
import re
import runpy
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from mutations import MUTATIONS
from sources import Source, sources

from wfc.compiler.passes import check_text

ROOT = Path(__file__).parents[2]
FURTHER = ("docs/language/*.yaml", "compiler/rules/examples/*-mended.yaml")
TABLES = ("novices.py", "elsewhere.py")
WORD = re.compile(r"[A-Za-z_][\w.]*|\d+|[^\sA-Za-z0-9_]")
ROOTS = "event events inputs state result config run item env secrets steps error response loop output data $".split()
FIELDS = "id name value text data status length count first items result output message error kind index now".split()
BEHIND = (
    ".FIELD",
    "[0]",
    ".FIELD()",
    " + FIELD",
    " == FIELD",
    " is FIELD",
    " and FIELD",
    "?",
    ' || ""',
    " ? 1 : 2",
    "::text",
)
VALUES = "5|true|null|[]|{}|''|10 m|[a, b]|{a: b}|${{ run.id }}|yes|3 times|*|all|{{ result }}|@me|- a".split(
    "|"
)
KEYS = (
    "id type description input output next then needs after when if retry attempts timeout on_failure catch each "
    "foreach loop until max limit concurrency wait schedule event emits accepts on trigger args body auth env "
    "state save model prompt system messages tools format required optional default enum min pattern join all any "
    "branch case use do start end mock expect tests cancel count within deadline errors target"
).split()


def lines(text: str, chance: Random) -> str:
    """A line that is dropped, doubled, moved, or indented otherwise."""
    parts = text.split("\n")
    places = [
        index for index, each in enumerate(parts) if index > 1 and each.strip() and each.strip()[0] != "#"
    ]
    index = chance.choice(places)
    line = parts[index]
    way = chance.randrange(4)
    if way == 0:
        parts[index : index + 1] = [line, line]
    elif way == 1:
        far = max(0, len(line) - len(line.lstrip()) + chance.choice([-4, -2, 2, 4]))
        parts[index] = " " * far + line.lstrip()
    else:
        del parts[index]
        if way == 2:
            parts.insert(min(max(2, index + chance.choice([-4, -3, -2, -1, 1, 2, 3, 4])), len(parts)), line)
    return "\n".join(parts)


def words(text: str, chance: Random) -> str:
    """A word or a sign that is dropped, doubled, exchanged with the next, or taken from elsewhere."""
    found = list(WORD.finditer(text))[8:]
    index = chance.randrange(len(found) - 1)
    one, other = found[index], found[index + 1]
    new = chance.choice(["", one[0] * 2, chance.choice(found)[0]])
    if chance.random() < 0.25:
        return text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]
    return text[: one.start()] + new + text[one.end() :]


def scalars(source: Source, chance: Random) -> str:
    """A value with another one of the spec, of its step, or of none."""
    found = [each for each in source.scalars() if len(each.address) > 1]
    one = chance.choice(found)
    near = [each.value for each in found if each.address[:2] == one.address[:2]]
    new = chance.choice([chance.choice(near), chance.choice(found).value, chance.choice(VALUES)])
    return source.with_text(one.start, one.end, new)


def names(source: Source, chance: Random) -> str:
    """An expression with another root, another field, or more behind it."""
    pattern, new = chance.choice([(r"\b([a-z]\w*)\.", ROOTS), (r"\w\.(\w+)", FIELDS), (r"\w\.(\w+)", BEHIND)])
    one = chance.choice(list(source.within(pattern)))
    said = chance.choice(list(new)).replace("FIELD", chance.choice(FIELDS))
    return source.with_text(one.start, one.end, one.value + said if new is BEHIND else said)


def keys(source: Source, chance: Random) -> str:
    """A key with another name, of the language or of another one; or a key more."""
    found = list(source.language_keys())
    one = chance.choice(found)
    new = chance.choice([str(chance.choice(found).address[-1]), chance.choice(KEYS)])
    if chance.random() < 0.3 and "{" in source.text[source.text.rfind("\n", 0, one.start) : one.start]:
        return source.with_text(one.start, one.start, f"{new}: {chance.choice(VALUES)}, ")
    return source.with_text(one.start, one.end, new)


def blocks(source: Source, chance: Random) -> str:
    """A key with all that belongs to it, moved to another key, or copied there."""
    found = [each for each in map(source.lines_of, (key.address for key in source.language_keys())) if each]
    (start, end), (there, _) = chance.choice(found), chance.choice(found)
    text = source.text
    indent = len(text[there:]) - len(text[there:].lstrip())
    block = textwrap.indent(textwrap.dedent(text[start:end].rstrip("\n") + "\n"), " " * indent)
    if chance.random() < 0.5:
        return text[:there] + block + text[there:]
    if there <= start:
        return text[:there] + block + text[there:start] + text[end:]
    return text[:start] + text[end : max(there, end)] + block + text[max(there, end) :]


WAYS: tuple[Callable[[Source, Random], str], ...] = (
    lambda source, chance: lines(source.text, chance),
    lambda source, chance: words(source.text, chance),
    scalars,
    names,
    keys,
    blocks,
)


def tables() -> list[tuple[str, str]]:
    """The specs of the tables of mistakes, right and wrong."""
    made = []
    spec = runpy.run_path(str(Path(__file__).with_name("novices.py")))["SPEC"]
    for name in TABLES:
        for row in runpy.run_path(str(Path(__file__).with_name(name)))["TABLE"]:
            made.append((spec, spec.replace(row[1], row[2], 1)))
    return made


def mistakes(chance: Random, *, is_corpus: bool = False) -> Iterator[tuple[str, str, str]]:
    """Mistakes without an end, of the corpus alone or of all kinds: what was done, the text before and after."""
    found = sources()
    for pattern in FURTHER:
        found += [Source(path.stem, path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob(pattern))]
    found = [each for each in found if not check_text(each.text.encode(), "spec.yaml").diagnostics]
    written = tables()
    while True:
        source, which = chance.choice(found), chance.random()
        if which < 0.12:
            yield "a table", *chance.choice(written)
        elif which < 0.5 or is_corpus:
            name = chance.choice(list(MUTATIONS))
            if made := list(MUTATIONS[name](source, chance)):
                yield name, source.text, chance.choice(made).text
        else:
            try:
                yield source.name, source.text, chance.choice(WAYS)(source, chance)
            except IndexError:  # the spec has no such place
                continue


def shown(before: str, after: str) -> Iterator[str]:
    """What was changed, line by line."""
    for line in list(difflib.unified_diff(before.split("\n"), after.split("\n"), n=2, lineterm=""))[2:28]:
        yield f"  {line[:200]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", default="a")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--corpus", action="store_true")
    given = parser.parse_args()
    seen: Counter[tuple[str, str]] = Counter()
    drawn = 0
    chance = Random(given.seed)  # noqa: S311 - a reproducible choice
    for name, before, after in mistakes(chance, is_corpus=given.corpus):
        found = check_text(after.encode(), "spec.yaml").diagnostics
        shapes = [(each.code, re.sub(r"`[^`]*`", "`", each.hint)) for each in found if each.hint]
        if after == before or not shapes or (not given.corpus and all(seen[each] > 1 for each in shapes)):
            continue
        seen.update(shapes)
        drawn += 1
        print(f"##### {drawn} {name}", *shown(before, after), sep="\n")
        for each in found[:8]:
            print(f"  {each.start.line}:{each.start.column} {each.code}: {each.message}\n      = {each.hint}")
        if drawn == given.count:
            return


if __name__ == "__main__":
    main()
