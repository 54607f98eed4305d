"""The path that a finding tells is one of the flow: each step leaves by an event that the next one accepts."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise

from random_flows import Builder, Flow
from test_on_the_runtime import speakable
from writing import Writer

from wfc.compiler.passes import check_text
from wfc.compiler.proof.graph.flow_graph import FlowGraph

PATH = re.compile(r"(?:start|s\d+)(?: \(\w+\))?(?: → (?:[EsZ]\d*|…)(?: \(\w+\))?)+")


def mistakes(path: str, graph: FlowGraph) -> list[str]:
    """The hops of a path that the flow does not have."""
    nodes = {unit.name: unit for unit in graph.nodes}
    found = []
    for one, other in pairwise(path.split(" → ")):
        name, _, occasion = one.rstrip(")").partition(" (")
        after = other.partition(" (")[0]
        if "…" in (one, other):
            continue
        if name in nodes and after in nodes:  # the start's event goes without saying
            fine = name == "start" and graph.start in nodes[after].slots
        elif name in nodes:
            ways = [way for way in nodes[name].ways if way.occasion == (occasion or "emit")]
            fine = any(after in (*way.singles, *way.batches) for way in ways)
        else:
            fine = name in nodes[after].slots
        if not fine:
            found.append(f"{one} → {other}")
    return found


def test_a_path_that_is_told_is_one_of_the_flow() -> None:
    told: Counter[str] = Counter()
    for seed in range(400):
        flow = Flow(list(Builder(seed).graph().nodes[1:]))
        if not speakable(flow.graph):
            continue
        text = Writer(flow, random.Random(seed)).spec()  # noqa: S311 — flows, not secrets
        for finding in check_text(text.encode(), "trial.yaml").diagnostics:
            for path in PATH.findall(f"{finding.message}; {finding.hint}"):
                told[finding.code] += 1
                assert not mistakes(path, flow.graph), (seed, finding.code, path)
    assert told.total() > 50
    assert {"run-without-end", "join-starves", "join-overfills", "unbounded-cycle"} <= told.keys()
