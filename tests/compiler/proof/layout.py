"""Who opens which frame and which batch in a flow, found the slow way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wfc.compiler.proof.graph.flow_graph import StepNode


class Layout:
    """Units with the start as the first of them, the joins' forks, and what leads where."""

    def __init__(self, nodes: Sequence[StepNode]) -> None:
        self.nodes = nodes
        self.acceptors: dict[str, list[tuple[int, int]]] = {}
        for node, unit in enumerate(self.nodes):
            for slot, event in enumerate(unit.slots):
                self.acceptors.setdefault(event, []).append((node, slot))
        self.collectors: dict[tuple[int, str], tuple[int, ...]] = {}
        self.level: dict[int, bool] = {}
        self.forks = self._forks()

    def _edges(self, node: int) -> Iterator[int]:
        for way in self.nodes[node].ways:
            for event in (*way.singles, *way.batches):
                yield from (target for target, _ in self.acceptors.get(event, ()))
            for event in way.batches:
                yield from self._collectors(node, event)

    def _collectors(self, opener: int, event: str) -> tuple[int, ...]:
        """The `each` joins that items of a batch reach while it is the innermost one."""
        if (opener, event) in self.collectors:
            return self.collectors[opener, event]
        found, seen = set(), set()
        work = [(event, 0)]
        while work:
            here, depth = work.pop()
            if (here, depth) in seen or depth > len(self.nodes):
                continue
            seen.add((here, depth))
            for node, _slot in self.acceptors.get(here, ()):
                after = depth
                if self.nodes[node].form == "each":
                    if depth == 0:
                        found.add(node)
                        continue
                    after -= 1
                for way in self.nodes[node].ways:
                    work += [(one, after) for one in way.singles]
                    work += [(one, after + 1) for one in way.batches]
        self.collectors[opener, event] = tuple(sorted(found))
        return self.collectors[opener, event]

    def _reached(self, sources: list[int], without: int | None) -> set[int]:
        seen = {node for node in sources if node != without}
        work = list(seen)
        while work:
            for target in self._edges(work.pop()):
                if target != without and target not in seen:
                    seen.add(target)
                    work.append(target)
        return seen

    def _forks(self) -> dict[int, int]:
        forks = {}
        for join, unit in enumerate(self.nodes):
            if unit.form in ("one", "each"):
                continue
            passed = [
                node
                for node in range(len(self.nodes))
                if node != join and (node == 0 or join not in self._reached([0], node))
            ]
            # the nearest: every other one must be passed on the way to it
            forks[join] = next(
                node
                for node in passed
                if all(other in (0, node) or node not in self._reached([0], other) for other in passed)
            )
        for join, fork in forks.items():
            # is its frame an item? then the batch's events lead there, and nothing else of the fork does
            items = [
                n for w in self.nodes[fork].ways for e in w.batches for n, _ in self.acceptors.get(e, ())
            ]
            self.level[join] = join in self._in_batch(fork, items)
        return forks

    def _in_batch(self, opener: int, items: list[int]) -> set[int]:
        """What items reach before their batch is collected."""
        met, seen = set(), set()
        work = [(node, 0) for node in items]
        while work:
            node, depth = work.pop()
            if (node, depth) in seen or depth > len(self.nodes) or node == opener:
                continue
            seen.add((node, depth))
            met.add(node)
            after = depth - 1 if self.nodes[node].form == "each" else depth
            if after < 0:
                continue
            for way in self.nodes[node].ways:
                for event in way.singles:
                    work += [(target, after) for target, _ in self.acceptors.get(event, ())]
                for event in way.batches:
                    work += [(target, after + 1) for target, _ in self.acceptors.get(event, ())]
        return met

    def _opener(self, join: int) -> int:
        """Who opens the batches that a join collects; where they do not nest, any of them."""
        return next(
            (
                node
                for node, unit in enumerate(self.nodes)
                if any(join in self._collectors(node, event) for way in unit.ways for event in way.batches)
            ),
            0,
        )

    def _leads(self, events: tuple[str, ...], join: int, fork: int) -> bool:
        targets = [node for event in events for node, _ in self.acceptors.get(event, ())]
        return join in self._reached(targets, fork)

    def _spilling(self, join: int, region: set[int]) -> set[int]:
        """The nodes on the way to a join of which something may come that does not lead to the join."""
        found = {
            node
            for node in region
            for way in self.nodes[node].ways
            if (way.ends and (way.singles or way.batches))
            or any(
                target not in region and target != join
                for event in (*way.singles, *way.batches)
                for target, _slot in self.acceptors.get(event, ())
            )
        }
        while more := {node for node in region - found if not found.isdisjoint(self._edges(node))}:
            found |= more
        return found

    def _on_the_way(self, join: int) -> set[int]:
        """The nodes from which a join is reached without passing its fork; of a batch, without who opens it."""
        fork = self.forks[join] if join in self.forks else self._opener(join)
        return {
            node
            for node in range(len(self.nodes))
            if node not in (join, fork) and join in self._reached(list(self._edges(node)), fork)
        }
