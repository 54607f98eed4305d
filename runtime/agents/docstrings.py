"""What a docstring says of a function and of its parameters, in the three styles that are usual."""

from __future__ import annotations

import inspect
import re
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
                parameters.setdefault(each.name.lstrip("*"), " ".join(each.description.split()))
        else:
            said.extend(_said(section))
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
