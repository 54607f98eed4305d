"""Mutations: specs with one mistake each, by class."""

from __future__ import annotations

from mutations import (
    exchanges,
    exits,
    expressions,
    keys,
    names,
    names_in_expressions,
    signs,
    values,
)
from mutations.mutant import HARMLESS, MOST, MUTATIONS, Mutant, misspelt, mutants

__all__ = [
    "HARMLESS",
    "MOST",
    "MUTATIONS",
    "Mutant",
    "exchanges",
    "exits",
    "expressions",
    "keys",
    "misspelt",
    "mutants",
    "names",
    "names_in_expressions",
    "signs",
    "values",
]
