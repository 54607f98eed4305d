"""Conversions of what paused runs hold → methods that make new values of old ones."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.writer import BODY
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.model import Workflow
from wfc.compiler.python.literals import Code, literal, snake_case

__all__ = ["migration_methods"]


def migration_methods(workflow: Workflow, names: ModuleNames) -> Iterator[PythonFunction]:
    """Yield a method for each conversion; the class of its parameter says what is converted."""
    for each in workflow.run.migrations:
        function = FunctionBuilder(
            names.scope, (FunctionParameter("old", Code("old"), names.of(each.before)),)
        )
        function.use_all("old")
        lines = fit(f"return {ValueWriter(function, names).pairs(each.values)}", BODY)
        gives = tuple(name for name, _ in each.values)
        decorator = call(Code("run_migration"), literal(each.of), gives=literal(gives))
        name = names.class_scope.give(f"convert_{snake_case(each.of)}")
        returns = Code("dict[str, object]")
        yield PythonFunction(name, (SELF, *function.parameters), returns, lines, decorator=decorator)
