"""What a run is worth, as numbers from 0 to 1; and what many of them say together."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from wfc.compiler.cli.evaluating.cases import KnownCase
from wfc.compiler.cli.one_run import Ran

__all__ = ["COSTS", "MEASURES", "Summary", "measured", "summed_up"]

MEASURES = ("hit_rate", "mrr", "ndcg", "ended", "exact", "rules", "cited", "judged")
"""The measures that are better the larger they are."""
COSTS = ("seconds", "tokens", "cost_usd")
"""Those that are better the smaller they are."""

RESAMPLES = 1_000
DEEPEST = 10


class Summary(NamedTuple):
    """What the runs say together: the mean over cases, and between what it lies in 95 of 100 choices of cases."""

    mean: float
    low: float
    high: float
    cases: int


def measured(case: KnownCase, ran: Ran) -> dict[str, float]:
    """Return what a run is worth, by each measure that its case has something to say about."""
    found = {"seconds": ran.seconds, "tokens": float(ran.tokens), "cost_usd": ran.cost_usd}
    if case.relevant:
        found |= of_retrieval(case.relevant, ranked(ran))
    if case.end or ran.error:
        found["ended"] = float(ran.end == case.end if case.end else not ran.error)
    if case.values:
        found["exact"] = float(all(ran.values.get(name) == value for name, value in case.values.items()))
    text = answer_of(ran.values).casefold()
    if case.contains or case.lacks:
        kept = [each.casefold() in text for each in case.contains]
        kept += [each.casefold() not in text for each in case.lacks]
        found["rules"] = sum(kept) / len(kept)
    cited = cited_by(ran.values)
    if cited is not None:
        found["cited"] = of_citations(case.relevant, cited)
    return found


def answer_of(values: Mapping[str, Any]) -> str:
    """Return the text of an answer: the field `text` or `answer`, or all texts of the end event."""
    for name in ("text", "answer"):
        if isinstance(values.get(name), str):
            return str(values[name])
    return "\n".join(each for each in values.values() if isinstance(each, str))


def ranked(ran: Ran) -> list[tuple[str, str]]:
    """Return the passages that the searches of a run gave, as ids and sources, each once, in their order."""
    given = (each for search in ran.searches for each in search.considered if not each["cut_by"])
    return list(dict.fromkeys((each["id"], each["source"]) for each in given))


def of_retrieval(relevant: Mapping[str, float], found: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Return hit rate, mean reciprocal rank and nDCG@10 of an order; what is relevant by its source counts once."""
    left = dict(relevant)
    gains = [left.pop(own_id, 0.0) or left.pop(source, 0.0) for own_id, source in found]
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain > 0), 0)
    ideal = discounted(sorted(relevant.values(), reverse=True))
    return {
        "hit_rate": float(first > 0),
        "mrr": 1 / first if first else 0.0,
        "ndcg": discounted(gains) / ideal if ideal else 0.0,
    }


def discounted(gains: Iterable[float]) -> float:
    """Return the discounted cumulative gain of the first ten."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1) if rank <= DEEPEST)


def cited_by(values: Mapping[str, Any]) -> set[str] | None:
    """Return the ids and sources of the passages that an answer names; ``None`` if it is of no kind that names any."""
    passages, citations = values.get("passages"), values.get("citations")
    named: list[Any]
    if isinstance(passages, list) and isinstance(citations, list):
        numbers = [each.get("number") if isinstance(each, dict) else each for each in citations]
        named = [passages[n - 1] for n in numbers if isinstance(n, int) and 1 <= n <= len(passages)]
    elif isinstance(values.get("sources"), list):
        named = values["sources"]
    else:
        return None
    found: set[str] = set()
    for each in named:
        found |= {str(each.get("id")), str(each.get("source"))} if isinstance(each, dict) else {str(each)}
    return found


def of_citations(relevant: Mapping[str, float], cited: set[str]) -> float:
    """Return whether an answer names a passage that helps; any will do where no case says which help."""
    helpful = {name for name, gain in relevant.items() if gain > 0}
    return float(bool(cited & helpful) if helpful else bool(cited))


def summed_up(by_case: Sequence[float]) -> Summary:
    """Return the mean of what the cases are worth, with a bootstrap interval that is the same each time."""
    count = len(by_case)
    mean = sum(by_case) / count
    chance = random.Random(0)  # noqa: S311 - nothing is kept secret by it
    means = sorted(sum(chance.choices(by_case, k=count)) / count for _ in range(RESAMPLES))
    return Summary(mean, means[RESAMPLES * 25 // 1000], means[RESAMPLES * 975 // 1000 - 1], count)
