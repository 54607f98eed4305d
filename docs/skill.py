"""The file from which language models learn to write specs: a text of ours, filled with what the compiler knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from computing import GROUPS, example, signature
from excerpts import excerpt
from tables import TABLES, chosen, default, own_keys, resolved
from words import ERROR_WORDS

from wfc.compiler.expressions.filters.definition import Filter
from wfc.compiler.resolve.values.error_names import KNOWN
from wfc.compiler.rules.catalogue import describe

__all__ = ["skill"]

TEXT: Final = Path(__file__).parent / "skill.txt"
BLOCK: Final = re.compile(r"^<!-- (?P<what>.*) -->$", re.MULTILINE)
LINK: Final = re.compile(r"\[(?P<words>[^\]]*)\]\((?:#|[\w/.]+\.md)[^)]*\)")


def skill() -> str:
    """The file as it should be now."""
    return BLOCK.sub(lambda match: filled(match["what"]), TEXT.read_text(encoding="utf-8"))


def filled(what: str) -> str:
    """The text of a block: its first word says which, the others of what."""
    first, *rest = what.split()
    writers: dict[str, Callable[..., str]] = {
        "keys": keys,
        "own": own,
        "shown": shown,
        "filters": filters,
        "errors": errors,
        "problems": problems,
        "table": lambda *names: TABLES[" ".join(names)](),
    }
    return plain(writers[first](*rest))


def plain(text: str) -> str:
    """Without links, which lead nowhere in a file of its own."""
    return LINK.sub(r"\g<words>", text)


def keys(*names: str) -> str:
    """The keys of shapes, each on a line."""
    shapes, found = chosen(*names)
    lines = []
    for shape, key, each in found.values():
        is_required = len(shapes) == 1 and key in resolved({"$ref": f"#/$defs/{shape}"})[0].get(
            "required", ()
        )
        lines.append(key_line(shape, key, each, is_required=is_required))
    return "\n".join(lines)


def own(kind: str, _without: str = "", *others: str) -> str:
    """The keys that a kind of step has for itself, each on a line; without those that were told of another kind."""
    shape, _ = resolved({"$ref": f"#/$defs/{kind}_step"})
    found = [(key, shape["properties"][key]) for key in own_keys(kind) if key not in others]
    return "\n".join(key_line("", key, each, is_required=key in shape["required"]) for key, each in found)


def key_line(shape: str, key: str, schema: object, *, is_required: bool) -> str:
    assert isinstance(schema, dict)
    whole, _ = resolved(schema)
    title = whole.get("title", "") or (f"`{whole['const']}`" if "const" in whole else "")
    holds = ", ".join(filter(None, ["required" if is_required else "", title]))
    words = [whole.get("description", "")]
    if shape == "retry_policy" and not is_required:
        words.append(f"Not given: {default(key)}.")
    return f"- `{key}` ({holds}): {' '.join(filter(None, words))}"


def shown(name: str) -> str:
    """A whole spec, as a block."""
    return excerpt(name).rpartition("\n\n*The file")[0]


def filters() -> str:
    """All filters, each on a line."""
    parts = []
    for title, module in GROUPS.items():
        found: tuple[Filter, ...] = module.FILTERS
        lines = [f"- {signature(each)}: {each.doc} {example(each)}" for each in found]
        parts.append(f"{title}:\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def errors() -> str:
    """The names of errors."""
    return "\n".join(f"- `{name}`: {ERROR_WORDS[name]}" for name in KNOWN)


def problems(*codes: str) -> str:
    """Some problems, each with what is wrong, and with what its explanation says of mending it."""
    return "\n".join(f"- `{code}`: {one_line(describe(code).explanation)}" for code in codes)


def one_line(text: str) -> str:
    return " ".join(text.split())
