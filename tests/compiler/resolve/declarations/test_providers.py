"""The providers that the check knows, against those of the installed library."""

from __future__ import annotations

import ast
import inspect
from typing import get_args

import pytest
from pydantic_ai.models import KnownModelName
from pydantic_ai.providers import infer_provider_class

from wfc.compiler.resolve.declarations.models import PROVIDERS

NO_CHAT = {"elevenlabs", "sentence-transformers", "voyageai"}
"""Providers of voices and embeddings, which answer no prompt."""


def compared() -> set[str]:
    """The names that the library itself tells apart."""
    tree = ast.parse(inspect.getsource(infer_provider_class))
    return {
        str(node.value.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant)
    }


def test_the_known_providers_are_those_of_the_library() -> None:
    assert compared() - NO_CHAT == PROVIDERS


def test_every_model_that_the_library_names_has_a_known_provider() -> None:
    named = {str(each).partition(":")[0] for each in get_args(KnownModelName.__value__) if ":" in str(each)}
    assert {each.removeprefix("gateway/") for each in named} <= PROVIDERS


@pytest.mark.full
def test_the_library_refuses_no_known_provider() -> None:
    for provider in PROVIDERS:
        try:
            infer_provider_class(provider)
        except ImportError:
            continue  # its own package is not installed
