"""``__all__`` of a public module names what is public in it, and nothing that is not there."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from wfc.runtime.errors import MissingPackageError

ROOT = Path(__file__).parent.parent


def modules() -> list[str]:
    names = []
    for room in ("compiler", "runtime"):
        for path in sorted((ROOT / room).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if any(part.startswith("_") and part != "__init__" for part in parts):
                continue  # private by its name
            if not all(part.isidentifier() for part in parts):
                continue  # no module: a program that belongs to the example of a problem
            names.append(".".join(("wfc", *(part for part in parts if part != "__init__"))))
    return names


def source(module: str) -> ast.Module:
    path = ROOT.joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_bytes())


@pytest.mark.parametrize("name", modules())
def test_public_names_are_listed_and_there(name: str) -> None:
    if not any(not isinstance(node, ast.Expr | ast.ImportFrom | ast.If) for node in source(name).body):
        return  # a docstring alone, or with it that the package's modules are loaded on demand
    try:
        module = importlib.import_module(name)
    except MissingPackageError as missing:
        pytest.skip(str(missing))
    listed = module.__all__
    assert len(set(listed)) == len(listed)
    assert not [each for each in listed if not hasattr(module, each)]
    assert not [each for each in listed if each.startswith("_")]


def public_functions(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """The public functions and methods of a module, each with what is said of it."""
    listed: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed.update(ast.literal_eval(node.value))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            about = ast.get_docstring(node) or ""
            assert about, f"{node.name} has no docstring"
            for method in node.body:
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                    if method.name == "__init__":
                        yield method, about
                    elif not method.name.startswith("_"):
                        yield method, ast.get_docstring(method) or ""
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in listed:
            yield node, ast.get_docstring(node) or ""


def stands_for_another(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is one of several signatures, or the other half of a property."""
    marks = {ast.unparse(each).rpartition(".")[2] for each in function.decorator_list}
    return bool(marks & {"overload", "setter"})


def raised(function: ast.AST) -> Iterator[str]:
    """The classes of errors that a function raises itself."""
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Raise)
            and isinstance(node.exc, ast.Call)
            and isinstance(node.exc.func, ast.Name)
        ):
            name = node.exc.func.id
            if name[0].isupper() and name != "AttributeError":
                yield name


@pytest.mark.parametrize("name", [name for name in modules() if name.startswith("wfc.runtime")])
def test_what_a_public_function_does_and_raises_is_said(name: str) -> None:
    for function, said in public_functions(source(name)):
        if stands_for_another(function):
            continue
        assert said, f"{name}.{function.name} has no docstring"
        missing = [error for error in raised(function) if error not in said]
        assert not missing, f"{name}.{function.name} does not say that it raises {missing}"


def test_the_runtime_shows_what_authors_need_and_has_one_table_of_names() -> None:
    import wfc.runtime

    assert dir(wfc.runtime) == sorted(wfc.runtime.__all__)
    assert len(wfc.runtime.__all__) <= 60
    tree = source("wfc.runtime")
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    typed = {
        (alias.name, f"{node.module}.{alias.name}" if alias.name == "filters" else node.module): alias.asname
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    # what type checkers see is what is loaded; `as` marks what is offered to generated modules alone
    assert set(typed) == set(wfc.runtime._MODULES.items())
    assert {name for (name, _), asname in typed.items() if asname is None} == set(wfc.runtime.__all__)
    # no name stands in two rows
    assert len(typed) == sum(
        len(row.split()) for row in (*wfc.runtime._AUTHORS.values(), *wfc.runtime._GENERATED_CODE.values())
    )
