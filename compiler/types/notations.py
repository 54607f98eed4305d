"""Types in the notation of other languages → their notation here."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from wfc.compiler.rules import closest

__all__ = ["SYNONYMS", "other_notation", "values_for_types"]

SYNONYMS: Final[Mapping[str, str]] = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    **dict.fromkeys(("varchar", "char", "nvarchar"), "string"),
    **dict.fromkeys(("long", "short", "bigint", "smallint", "int32", "int64"), "integer"),
    **dict.fromkeys(("real", "float32", "float64"), "number"),
    "money": "decimal",
    "currency": "decimal",
    "bool": "boolean",
    "yes": "boolean",
    "no": "boolean",
    "array": "list of …",
    "list": "list of …",
    "dict": "map of …",
    "map": "map of …",
    "object": "map of …",
    **{each: f"{{type: string, format: {each}}}" for each in ("email", "hostname", "uri", "uuid")},
    "url": "{type: string, format: uri}",
    "json": "any",
    "timestamp": "datetime",
    "time": "datetime",
    **dict.fromkeys(("interval", "timedelta", "timespan"), "duration"),
    "null": "optional …",
    "none": "optional …",
}
"""What other languages call a type, in small letters."""
WORDS: Final = {
    "str": "string", "text": "string", "String": "string", "int": "integer", "Integer": "integer",
    "float": "number", "double": "number", "Number": "number", "bool": "boolean", "Boolean": "boolean",
    "Any": "any", "dict": "map of any", "list": "list of any", "Decimal": "decimal",
}  # fmt: skip
NULL: Final = frozenset({"null", "none", "None", "nil", "undefined"})
NAMED_KEYS: Final = (
    r"(?P<outer>(?:(?:list of|map of|optional)\s+)*)(?:map|dict|dictionary|hash|mapping)\s+(?:of|from)\s+"
    r"(?P<key>any|str|strings?|texts?|keys?)\s*(?:\bto\b|\band\b|->|=>|:)\s*(?P<value>.+)"
)
"""A map of which the keys are said, too; here they are always texts."""
HOLDING: Final = r"([a-zA-Z]+)\s+of\s+(.+)"
WRAPPED: Final = r"(\w+)\s*[\[<(]\s*(.+?)\s*[\]>)]"
LIMITED: Final = (
    r"(?:(?P<type>[a-zA-Z]+)\s*[(\[<{])?\s*(?:(?P<least>-?\d+)?\s*(?:\.\.+|-|,|:|;|\bto\b))?"
    r"\s*(?P<most>-?\d+)\s*[)\]>}]?"
)
"""A type with a range, such as `integer(0..10)`."""
BOUND: Final = r"(?P<type>[a-zA-Z]+)\s*(?P<sign>>=|<=|>|<)\s*(?P<bound>-?\d+)"
"""A type with a bound, such as `integer > 0`."""
DEFAULT: Final = r"(?P<type>[a-zA-Z]+)\s*(?:=|\bdefault:?\s)\s*(?P<value>[\w-]+)"
"""A type with a value that is there if none is given, such as `string = none`."""
LISTS: Final = frozenset({"list", "array", "sequence", "set", "tuple"})
MAPS: Final = frozenset({"dict", "dictionary", "hash", "hashmap", "map", "record", "mapping"})
LONGEST: Final = 80


WITH_OF: Final = ("list of ", "map of ", "optional ")
OUTER: Final = frozenset({"array", "list", "map", "optional"})
"""Words with which a type of several words begins; other words before a `?` are a question."""


def other_notation(text: str) -> str:
    """Return what ``list[str]``, ``string[]``, ``string?`` or ``string | null`` is here; empty for all else."""
    if len(text) > LONGEST:
        return ""
    found = translated(text.strip())
    return found if found != text and re.fullmatch(r"[\w {}:,\[\]-]+", found) else ""


def translated(text: str) -> str:
    if limits := re.fullmatch(LIMITED, text):
        return limited(text, *limits.group("type", "least", "most"))
    if bounds := re.fullmatch(BOUND, text):
        return bounded(text, *bounds.group("type", "sign", "bound"))
    if default := re.fullmatch(DEFAULT, text):
        return f"{{type: {translated(default['type'])}, default: {default['value']}}}"
    if text.endswith("?") and (" " not in text or text.partition(" ")[0] in OUTER):
        return optional(translated(text[:-1].strip()))
    if text.endswith("[]"):
        return f"list of {translated(text[:-2].strip())}"
    if wrapped := re.fullmatch(WRAPPED, text):
        return of(wrapped[1].lower(), wrapped[2], text)
    if "|" in text or " or " in text:
        return either([each.strip() for each in re.split(r"\||\bor\b", text)])
    if keyed := re.fullmatch(NAMED_KEYS, text):
        return f"{keyed['outer']}map of {one(keyed['value'])}"
    if (holding := re.fullmatch(HOLDING, text)) and holding[1].lower() in (LISTS | MAPS) - {"list", "map"}:
        return f"{'list' if holding[1].lower() in LISTS else 'map'} of {one(holding[2])}"
    if text.endswith((" optional", " nullable")):
        return optional(translated(text[:-9].strip()))
    return WORDS.get(text, text)


def one(text: str) -> str:
    """Return the type of one of several, which may be called by its plural."""
    single = translated(text.strip())
    return single[:-1] if single.endswith("s") and single[:-1] in {*WORDS.values()} else single


def of(outer: str, inner: str, text: str) -> str:
    if outer in LISTS:
        return f"list of {translated(inner)}"
    if outer in MAPS:
        return f"map of {translated(inner.rpartition(',')[2].strip())}"
    if outer in {"optional", "maybe", "nullable"}:
        return optional(translated(inner))
    if outer in {"literal", "enum"}:
        return f"{{enum: [{inner}]}}"
    if outer == "union":
        return either([each.strip() for each in inner.split(",")])
    return text


def either(parts: list[str]) -> str:
    types = [translated(each) for each in parts if each not in NULL]
    if len(types) == 1:
        return optional(types[0]) if len(parts) > 1 else types[0]
    known = {*WORDS.values(), "decimal", "date", "datetime", "duration", "any"}
    if all(each in known or each[:1].isupper() or each.startswith(WITH_OF) for each in types):
        if len(types) < len(parts) and not any(each.startswith("optional ") for each in types):
            types[0] = optional(types[0])
        return f"{{one_of: [{', '.join(types)}]}}"
    return f"{{enum: [{', '.join(parts)}]}}" if len(types) == len(parts) else ""


def values_for_types(listed: Sequence[str], known: Collection[str]) -> str:
    """Return what to write for small words that stand where types are listed; empty where a type may be meant."""
    types = {each for each in known if each.islower()}
    others = {each.lower() for each in known}
    if any(
        not each.isidentifier() or not each.islower() or each in others or closest(each, types)
        for each in listed
    ):
        return ""
    values = ", ".join(listed)
    return f"types stand here; if these are values, write `{{enum: [{values if len(values) <= LONGEST else '…'}]}}`"


def limited(text: str, kind: str | None, least: str | None, most: str) -> str:
    """The long form of a type with a range."""
    if kind is None and least is None:
        return text
    name = WORDS.get(kind or "integer", kind or "integer")
    low, high = ("min_length", "max_length") if name == "string" else ("min", "max")
    if name not in {"decimal", "integer", "number", "string"}:
        return text
    return f"{{type: {name}{f', {low}: {least}' if least else ''}, {high}: {most}}}"


def bounded(text: str, kind: str, sign: str, bound: str) -> str:
    """The long form of a type with one bound."""
    name = WORDS.get(kind, kind)
    if name != "integer" and (len(sign) == 1 or name not in {"decimal", "number"}):
        return text
    exact = int(bound) + {">": 1, "<": -1}.get(sign, 0)
    return f"{{type: {name}, {'min' if sign[0] == '>' else 'max'}: {exact}}}"


def optional(type: str) -> str:
    return type if type.startswith("optional ") else f"optional {type}"
