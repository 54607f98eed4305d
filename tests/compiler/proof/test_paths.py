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
from wfc.compiler.proof.net import Net

PATH = re.compile(r"(?:start|s\d+)(?: \(\w+\))?(?: → (?:[EsZ]\d*|…)(?: \(\w+\))?)+")


def mistakes(path: str, net: Net) -> list[str]:
    """The hops of a path that the flow does not have."""
    units = {unit.name: unit for unit in net.units}
    found = []
    for one, other in pairwise(path.split(" → ")):
        name, _, occasion = one.rstrip(")").partition(" (")
        after = other.partition(" (")[0]
        if "…" in (one, other):
            continue
        if name in units and after in units:  # the start's event goes without saying
            fine = name == "start" and net.start in units[after].slots
        elif name in units:
            ways = [way for way in units[name].ways if way.occasion == (occasion or "emit")]
            fine = any(after in (*way.singles, *way.batches) for way in ways)
        else:
            fine = name in units[after].slots
        if not fine:
            found.append(f"{one} → {other}")
    return found


def test_a_path_that_is_told_is_one_of_the_flow() -> None:
    told: Counter[str] = Counter()
    for seed in range(400):
        flow = Flow(list(Builder(seed).net().units[1:]))
        if not speakable(flow.net):
            continue
        text = Writer(flow, random.Random(seed)).spec()  # noqa: S311 — flows, not secrets
        for finding in check_text(text.encode(), "trial.yaml").diagnostics:
            for path in PATH.findall(f"{finding.message}; {finding.hint}"):
                told[finding.code] += 1
                assert not mistakes(path, flow.net), (seed, finding.code, path)
    assert told.total() > 50
    assert {"run-without-end", "join-starves", "join-overfills", "unbounded-cycle"} <= told.keys()
