"""Words and signs of other languages, each with what is meant by it here where that is one thing."""

from __future__ import annotations

from typing import Final

__all__ = [
    "CASTS",
    "CHOICE",
    "COMPARISONS",
    "KEYS",
    "KEYWORDS",
    "LISTS",
    "LONGEST_ARGUMENT",
    "MODULES",
    "MOMENTS",
    "NO_FUNCTIONS",
    "OF_TEXTS",
    "OTHER_MEANING",
    "PAIRS",
    "PREFIXES",
    "SIGNS",
    "TYPE_WORDS",
    "WORDS",
]

WORDS: Final = {"AND": "and", "And": "and", "OR": "or", "Or": "or", "IN": "in", "IS": "is"}
PAIRS: Final = {
    ("==", "="): "==",
    ("!=", "="): "!=",
    ("<", ">"): "!=",
    ("=", ">"): ">=",
    ("=", "<"): "<=",
    ("?", "?"): "| default(…)",
    ("?", "."): "| default(…)",
    ("?", ":"): "| default(…)",
    ("=", "~"): "| matches(…)",
    ("&", "lt"): "<",
    ("&", "gt"): ">",
    ("&", "amp"): "and",
}
"""Signs of two of our tokens, or of one and a stray one, and what is meant by them."""
SIGNS: Final = {
    "=>": ">=",
    "=<": "<=",
    "++": "+ 1",
    "--": "- 1",
    "between": "LOW <= x and x <= HIGH",
    "contains": "| contains(…)",
    "includes": "| contains(…)",
    "equals": "==",
    "eq": "==",
    "ne": "!=",
    "gt": ">",
    "lt": "<",
    "gte": ">=",
    "lte": "<=",
    "has": "| contains(…)",
    "like": "| contains(…)`, `| starts_with(…)` or `| matches(…)",
    "matches": "| matches(…)",
    "xor": "!=",
}
"""Other signs and words between two values."""
KEYS: Final = frozenset(
    {
        "emit",
        "on_error",
        "on_limit",
        "on_timeout",
        "output",
        "retry",
        "save",
        "timeout",
        "when",
        "with",
        "within",
    }
)
"""Keys that often stand below an expression."""
OTHER_MEANING: Final = frozenset({"format", "group"})
"""Filters whose names are those of something else elsewhere: of texts with gaps, of parts that a pattern matched."""
KEYWORDS: Final = frozenset({"await", "new", "return"})
"""Words of other languages that stand before a value."""
PREFIXES: Final = frozenset({"b", "f", "r", "u"})
"""Letters that other languages write before a text's quote."""
TYPE_WORDS: Final = frozenset({"list", "map", "optional"})
"""With which types begin that have several words."""
COMPARISONS: Final = frozenset({"!=", "<", "<=", "==", ">", ">="})
CASTS: Final = frozenset(
    {"bool", "boolean", "date", "decimal", "float", "int", "integer", "number", "str", "string", "text"}
)
"""Types that stand behind `::` elsewhere."""
LISTS: Final = {
    "map": "[… for one in LIST]",
    "filter": "[one for one in LIST if …]",
    "some": "[… for one in LIST] | any",
    "every": "[… for one in LIST] | all",
}
"""What functions and methods over lists are here."""
MOMENTS: Final = frozenset({"date", "datetime", "strftime", "time"})
"""What is followed by the form of a moment elsewhere."""
LONGEST_ARGUMENT: Final = 60
NO_FUNCTIONS: Final = (
    "no functions are written in expressions: a condition stands by itself, and of a list "
    "`[one for one in LIST if …]` takes what fits"
)
CHOICE: Final = "write `a if condition else b`"
OF_TEXTS: Final = frozenset({"has", "like", "matches"})
"""Words behind which a text stands; behind a name they ask something else."""
MODULES: Final = frozenset({"Array", "Number", "Object", "String", "json", "JSON", "math", "Math"})
"""What functions stand in elsewhere, so that what they work on is their first argument."""
