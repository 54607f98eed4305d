"""``__all__`` of a public module names what is public in it, and nothing that is not there."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def modules() -> list[str]:
    names = []
    for room in ("compiler", "runtime"):
        for path in sorted((ROOT / room).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if any(part.startswith("_") and part != "__init__" for part in parts):
                continue  # private by its name
            names.append(".".join(("wfc", *(part for part in parts if part != "__init__"))))
    return names


def source(module: str) -> ast.Module:
    path = ROOT.joinpath(*module.split(".")[1:])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_bytes())


@pytest.mark.parametrize("name", modules())
def test_public_names_are_listed_and_there(name: str) -> None:
    if not any(not isinstance(node, ast.Expr | ast.ImportFrom) for node in source(name).body):
        return  # a docstring alone
    if name.startswith("wfc.runtime.integrations."):
        pytest.importorskip(name)
    module = importlib.import_module(name)
    listed = module.__all__
    assert len(set(listed)) == len(listed)
    assert not [each for each in listed if not hasattr(module, each)]
    assert not [each for each in listed if each.startswith("_")]


@pytest.mark.parametrize("name", ["wfc.runtime", "wfc.runtime.testing"])
def test_the_public_api_is_explained(name: str) -> None:
    module = importlib.import_module(name)
    for each in module.__all__:
        value = getattr(module, each)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name}.{each} has no docstring"


@pytest.mark.parametrize("name", ["wfc.runtime", "wfc.runtime.testing"])
def test_a_public_package_imports_only_what_it_offers(name: str) -> None:
    imported = {
        alias.asname or alias.name
        for node in source(name).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wfc.runtime.")
        for alias in node.names
    }
    module = importlib.import_module(name)
    if name == "wfc.runtime":
        # what generated code may import: nothing is offered by accident, nothing hidden
        hidden = {each for each in imported if not each.startswith("_")} - set(module.__all__)
        assert not {each for each in hidden if not inspect.ismodule(getattr(module, each))}
