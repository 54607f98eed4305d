"""Expressions that the compiler makes itself."""

from __future__ import annotations

from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions.expression import Expression
from wfc.compiler.expressions.syntax.tree import Attribute, Fields, Name, Node
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.types import Optional, Record, Type, common, members

__all__ = ["reference"]


def reference(scope: Scope, *path: str) -> Expression:
    """An expression that the compiler makes: a name in scope, or fields of one.

    Raises:
        KeyError: There is no such name or field.
    """
    found = scope.look_up(path)
    tree: Node
    if found is not None:
        tree = Name(0, 0, path[0], 0, 0) if len(path) == 1 else Fields(0, 0, path, 0)
        tree.declared, tree.type = found
    else:
        tree = Name(0, 0, path[0], 0, 0)
        tree.declared = scope.names[path[0]]
        tree.type = scope.fact(path[:1]) or tree.declared
        for index, name in enumerate(path[1:], 2):
            of = tree.type
            # also of a record written in place, of which nobody else may ask for a field
            declared = of.fields[name].type if isinstance(of, Record) else common(*field_types(of, name))
            tree = Attribute(0, 0, tree, name, 0, 0)
            tree.declared = declared
            tree.type = scope.fact(path[:index]) or declared
    return Expression(".".join(path), NOWHERE, tree.type, tree, frozenset({path}))


NOWHERE: Final = Place(())


def field_types(type: Type, name: str) -> list[Type]:
    """The types of a record's field; of several records, the one each gives it."""
    if not all(isinstance(each, Record) for each in members(type)) or isinstance(type, Optional):
        raise KeyError(name)
    return [each.fields[name].type for each in members(type) if isinstance(each, Record)]
