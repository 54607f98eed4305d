"""Templates of modules, classes and functions, filled by jinja2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from wfc.compiler.codegen.layout.statements import fit, fit_head
from wfc.compiler.codegen.shapes import LiteralAlias
from wfc.compiler.python.literals import Code, literal

__all__ = ["environment", "render"]


class Templates(Environment):
    """An environment in which an attribute is one of Python: what an object has not is a bug, and not undefined."""

    getattr = staticmethod(getattr)  # type: ignore[assignment]


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment, which prints every value in a template as a Python literal, unless it is code."""
    made = Templates(
        loader=PackageLoader("wfc.compiler.codegen"),
        finalize=lambda value: value if isinstance(value, Code) else literal(value),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,  # else each use of a template looks at its file, several times a module
        autoescape=False,  # Python is printed, not HTML
    )
    made.tests["alias"] = lambda each: isinstance(each, LiteralAlias)
    made.filters["at"] = indent_lines
    made.filters["commas"] = with_commas
    made.filters["fit"] = fit_lines
    made.filters["fit_head"] = fit_head_lines
    return made


def render(template: str, module: object) -> str:
    """Fill a template with the parts of a module."""
    return environment().get_template(template).render(module=module)


def indent_lines(lines: Sequence[str], margin: int) -> Code:
    """Return lines of code with a margin, except empty lines and lines that continue a quoted string."""
    return Code("\n".join(" " * margin + line if line else line for line in lines))


def with_commas(parts: Sequence[Code]) -> Code:
    """Return parts of code with commas between them."""
    return Code(", ".join(parts))


def fit_lines(statement: str, margin: int) -> Code:
    """Return a statement of a template, broken into lines if it is too long."""
    return indent_lines(fit(statement, margin), margin)


def fit_head_lines(statement: str, margin: int, parameters: Sequence[Code]) -> Code:
    """Return the head of a function, with a line for each of its parameters if it is too long."""
    return indent_lines(fit_head(statement, parameters, margin), margin)
