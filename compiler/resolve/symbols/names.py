"""Names: one form for each, in the style of its kind, and no two that look alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.python.literals import pascal_case, snake_case
from wfc.compiler.rules import names as problems
from wfc.compiler.types.long_form import check_plain

__all__ = ["check_free_name", "check_style", "report_look_alikes", "skeleton"]

# Letters of other scripts that most fonts draw like a Latin one, Cyrillic ones first, then Greek ones.
LOOK_ALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d"
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u051a\u051c"
    "\u03bf\u03bd\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "aeopcyxsijhdqw" + "ABESIJKMHOPCTXQW" + "ov" + "ABEZHIKMNOPTYX",
)


def skeleton(name: str) -> str:
    """Return what a name has in common with all names that people cannot tell apart from it."""
    return (name if name.isascii() else name.translate(LOOK_ALIKES)).casefold()


def check_style(name: str, place: Place, what: str, report: Report, *, pascal: bool = False) -> bool:
    """Report a name that is not valid, or is not in the style of its kind.

    Args:
        name: In normal form.
        place: Of the name itself.
        what: The kind of thing, such as ``step``; for the message.
        report: Takes the finding.
        pascal: Whether it is an event's or a type's name.

    Returns:
        Whether it can be used at all. A name in the wrong style can.
    """
    if not name.isidentifier() or name.startswith("_"):
        report(problems.bad_name(place, name, _why_no_name(name), small=not pascal))
        return False
    if pascal:
        if name[0].islower() or "_" in name.rstrip("_"):
            report(problems.not_pascal_case(place, name, pascal_case(name)))
    elif name != name.lower():
        report(problems.not_snake_case(place, name, what, snake_case(name)))
    return True


def check_free_name(name: str, place: Place, key: str, report: Report) -> None:
    """Report the name of a thing outside, such as a topic, that is empty or would be worked out: it is plain."""
    if not name.strip():
        report(problems.bad_name(place, name, "it is empty"))
    check_plain(name, place, key, report)


def _why_no_name(name: str) -> str:
    if not name:
        return "it is empty"
    if name[0] == "_" or name[0].isdigit():
        return f"it begins with `{name[0]}`"
    strange = next((each for each in name if not f"a{each}".isidentifier()), name[0])
    return "it has a space in it" if strange == " " else f"it has `{strange}` in it"


def report_look_alikes(names: Mapping[str, Place], report: Report) -> None:
    """Report each name that people would mistake for an earlier one in the same namespace."""
    seen: dict[str, str] = {}
    for name, place in names.items():
        first = seen.setdefault(skeleton(name), name)
        if first != name:
            report(problems.look_alike_names(place, name, first, names[first]))
