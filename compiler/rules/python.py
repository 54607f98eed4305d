"""Problems with Python functions: what `wfc check --import-tools` finds."""

from __future__ import annotations

from collections.abc import Iterable

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem

__all__ = ["function_differs", "function_not_found", "function_types_differ"]


@problem
def function_not_found(place: Place, python: str, reason: str, known: Iterable[str] = ()) -> Finding:
    """A Python function that the spec names cannot be imported.

    `wfc check --import-tools` imports the modules of tools and resources, each in a process of its own, as a run
    would: from the folder of the file that names them, or from those that the project's settings allow. Here
    there is no such module or function, or the import fails, takes too long or ends the process. What a module does
    when it is imported is done at the beginning of every run too, so it should be little.
    """
    hint = closest(python.rpartition(":")[2], known)
    return Finding("function-not-found", f"`{python}` cannot be used: {reason}", place, hint)


@problem
def function_differs(place: Place, python: str, what: str, name: str, known: Iterable[str] = ()) -> Finding:
    """A Python function takes other arguments than its tool says.

    A tool's `args` and `secrets` are given to the function by name. So each of them needs a parameter of that name,
    each parameter without a default needs somebody who gives it (an argument that is always there, a secret, a
    resource, or `context`), and a parameter for an argument that a step leaves out needs a default. A resource's
    function takes nothing.
    """
    names = list(known)
    hint = closest(name, names)
    if not hint and names:
        hint = f"it has {', '.join(f'`{each}`' for each in names[:8])}{' …' if len(names) > 8 else ''}"
    return Finding("function-differs", f"`{python}` {what}", place, hint)


@problem
def function_types_differ(place: Place, python: str, what: str, hint: str = "") -> Finding:
    """A Python function's annotations do not go with the types of its tool.

    What a spec gives is plain: records come as dictionaries, lists as lists, an `optional` value may be `None`. What a
    function returns is held against `output` each time. Here the annotations say that it will not go well. Correct the
    type in the spec or the annotation; one that is `Any`, or missing, is not looked at.
    """
    return Finding("function-types-differ", f"`{python}` {what}", place, hint)
