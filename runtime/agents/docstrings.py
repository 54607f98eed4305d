"""What a docstring says of a function and of its parameters, in the three styles that are usual."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from wfc.runtime.errors import MissingPackageError

if TYPE_CHECKING:
    from griffe import DocstringSection

__all__ = ["Documented", "documented"]

Style = Literal["google", "numpy", "sphinx"]

_STYLES: Final[dict[Style, re.Pattern[str]]] = {
    "sphinx": re.compile(r"^[ \t]*:(?:param|parameter|arg|argument|key|keyword)\b[^:\n]*:", re.MULTILINE),
    "numpy": re.compile(r"^(?:Other )?Parameters[ \t]*\n-{3,}[ \t]*$", re.MULTILINE),
    "google": re.compile(
        r"^(?:Args|Arguments|Params|Parameters|(?:Keyword|Other) (?:Args|Arguments|Parameters)):[ \t]*\n[ \t]+\S",
        re.MULTILINE,
    ),
}
"""What shows that a docstring describes parameters, and in which style. Any other is a text as it stands."""

_LISTS: Final = re.compile(
    r"^(?:(?:(?:Keyword|Other) )?(?:Args|Arguments|Params|Parameters)|Attributes|Functions|Methods|Classes|Modules|"
    r"Warns|Warnings):[ \t]*\n((?:[ \t]+\S.*(?:\n|$)|[ \t]*\n)+)",
    re.MULTILINE | re.IGNORECASE,
)
"""The sections in the style of Google whose lines have to be names with what is said of them, after a colon."""


class Documented(NamedTuple):
    """What a docstring says: of the function, and of its parameters by their names."""

    description: str
    parameters: dict[str, str]


def documented(docstring: str | None) -> Documented:
    """Return what a docstring says.

    What it says of errors is left out: that is for who calls the function, and a model is told errors as they come.

    Raises:
        MissingPackageError: It describes parameters, and what reads that is not installed.
    """
    text = inspect.cleandoc(docstring or "")
    style = next((style for style, pattern in _STYLES.items() if pattern.search(text)), None)
    if style is None:
        return Documented(text, {})
    parameters: dict[str, str] = {}
    said: list[str] = []
    for section in _sections(text, style):
        if section.kind.value in ("parameters", "other parameters"):
            for each in section.value:
                if (name := each.name.lstrip("*")).isidentifier():
                    parameters.setdefault(name, " ".join(each.description.split()))
                else:  # a sentence with a colon
                    said.append(_entry(each))
        else:
            said.extend(_said(section))
    if style == "google":
        said.extend(each for block in _LISTS.findall(text) for each in _unread(block))
    return Documented("\n\n".join(filter(None, said)), parameters)


def _sections(text: str, style: Style) -> list[DocstringSection]:
    try:  # it takes a quarter of a second, and most functions do without
        from griffe import Docstring, GoogleOptions, NumpyOptions, SphinxOptions
    except ImportError:
        raise MissingPackageError(
            "an agent needs the package griffelib to read what a docstring says of parameters: "
            "pip install 'wfc-workflows[models]'"
        ) from None
    options: Any = {
        "google": GoogleOptions(
            warnings=False, returns_named_value=False, returns_multiple_items=False, trim_doctest_flags=False
        ),
        "numpy": NumpyOptions(warnings=False, trim_doctest_flags=False),
        "sphinx": SphinxOptions(warnings=False),
    }[style]
    return Docstring(text, lineno=1, parser=style, parser_options=options).parse()


def _said(section: DocstringSection) -> Iterator[str]:
    """Yield what a section says for whoever is to use the function."""
    kind, value = section.kind.value, section.value
    if kind == "text":
        yield value.strip()
    elif kind in ("returns", "yields"):
        yield "\n".join(f"Returns: {each.description.strip()}" for each in value if each.description.strip())
    elif kind == "admonition":
        yield f"{section.title}: {value.description.strip()}"
    elif kind == "examples":
        yield "\n".join(["Examples:", *(text.strip() for _, text in value)])
    elif kind != "raises" and (entries := value if isinstance(value, list) else [value]):
        yield "\n".join([f"{section.title or kind.capitalize()}:", *map(_entry, entries)])


def _entry(entry: Any) -> str:
    """Return an entry of a list: a name, or the class of a warning, and what is said of it."""
    name = getattr(entry, "name", "") or str(entry.annotation or "")
    return ": ".join(filter(None, (name, entry.description.strip())))


def _unread(block: str) -> Iterator[str]:
    """Yield the entries of a list in the style of Google that have no colon, which griffe leaves out."""
    for entry in re.split(r"\n(?=\S)", textwrap.dedent(block)):
        if ":" not in entry.partition("\n")[0]:
            yield inspect.cleandoc(entry)
