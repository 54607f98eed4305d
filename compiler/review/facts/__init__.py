"""A resolved workflow and what it reaches, as plain data: what differences and policies are made from."""

from __future__ import annotations

from wfc.compiler.review.facts.places import Fact, PlaceList, place_of
from wfc.compiler.review.facts.whole import workflow_facts

__all__ = ["Fact", "PlaceList", "place_of", "workflow_facts"]
