"""Mutations: specs with one mistake each, by class."""

from __future__ import annotations

from mutations import (
    blocks,
    braces,
    exchanges,
    exits,
    expressions,
    foreign,
    joins,
    keys,
    kinds,
    names,
    names_in_expressions,
    nesting,
    signs,
    units,
    values,
)
from mutations.mutant import HARMLESS, MOST, MUTATIONS, Mutant, misspelt, mutants

__all__ = [
    "HARMLESS",
    "MOST",
    "MUTATIONS",
    "Mutant",
    "blocks",
    "braces",
    "exchanges",
    "exits",
    "expressions",
    "foreign",
    "joins",
    "keys",
    "kinds",
    "misspelt",
    "mutants",
    "names",
    "names_in_expressions",
    "nesting",
    "signs",
    "units",
    "values",
]
