"""A way through a run as it is kept, past every step, class and value that it names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

__all__ = ["Walk"]

Data = dict[str, Any]


class Walk:
    """A way through the data of a run, on which each name and value may be replaced; as it is, nothing is.

    Args:
        order: The names of the steps in the order in which the run's plan had them: formerly they were known by that.
    """

    def __init__(self, order: list[str]) -> None:
        self._order = order

    # --- what may be replaced

    def step(self, name: Any) -> Any:
        """Return what stands for a step."""
        return self._order[name] if type(name) is int and name >= 0 else name

    def kind(self, name: str) -> str:
        """Return what stands for a class that is only named."""
        return name

    def model(self, data: list[Any]) -> list[Any]:
        """Return what stands for an event, a record or a state."""
        return [data[0], self.value(data[1]), *map(self.value, data[2:])]

    def value(self, data: Any) -> Any:
        """Return what stands for a value."""
        if isinstance(data, list):
            return [self.value(one) for one in data]
        if not isinstance(data, dict):
            return data
        if data.get("$") == "model":
            return {"$": "model", "of": self.model(data["of"])}
        return {name: self.value(one) for name, one in data.items()}

    def joined(self, step: Any, arrived: list[Any]) -> list[Any]:
        """Return events that a join has, each with the place of the parameter that takes it."""
        return [[at, self.model(event)] for at, event in arrived]

    def question(self, step: Any, data: Data) -> Data:
        """Return a question."""
        return {**data, **{name: self.value(data[name]) for name in ("prefill", "choices") if name in data}}

    def awaited(self, step: Any, events: list[str]) -> list[str]:
        """Return the classes of the events that a step waits for."""
        return [self.kind(one) for one in events]

    # --- the way

    def checkpoint(self, data: Data) -> Data:
        """Return a run with what stands for all that it names."""
        return {**data, "state": self.model(data["state"]), "execution": self.execution(data["execution"])}

    def execution(self, data: Data) -> Data:
        """Return what is under way in it."""
        steps = {run["n"]: run["step"] for run in data.get("runs", ())}
        ways: dict[str, Callable[[Any], Any]] = {
            "inputs": self.model,
            "runs": self.run,
            "frames": self.frame,
            "paused": lambda one: self.paused(one, steps[one["run"]]),
            "states": self.model,
            "queues": self._of_step,
            "limits": self._of_step,
            "counts": self._of_step,
            "bounds": lambda one: [one[0], None if one[1] in (None, -1) else self.step(one[1]), one[2]],
            "timers": lambda one: [*one[:4], self.step(one[4])] if one[2] == "join" else one,
            "waits": lambda one: [*one[:2], self.kind(one[2]), one[3], self.value(one[4]), *one[5:]],
            "buffers": self.buffer,
            "inbox": lambda one: [one[0], self.model(one[1])],
            "unclaimed": lambda one: [self.kind(one[0]), one[1]],
            "way": self.kind,
            "failing": self.value,
        }
        found = {
            name: one if name not in ways else ways[name](one) if name in _SINGLE else [*map(ways[name], one)]
            for name, one in data.items()
        }
        if "short" in data:
            frame, step, key, value = data["short"]
            found["short"] = [frame, self.step(step), self.step(key), value]
        return found

    def _of_step(self, data: list[Any]) -> list[Any]:
        return [self.step(data[0]), *data[1:]]

    def run(self, data: Data) -> Data:
        """Return a step run."""
        found = {**data, "step": self.step(data["step"])}
        if "on" in data:
            found["on"] = self._on(data["step"], data["on"])
        if "result" in data:
            found["result"] = self.value(data["result"])
        if "about" in data:
            found["about"] = self._about(data["about"])
        if "gone" in data:
            found["gone"] = [[key, self.model(event)] for key, event in data["gone"]]
        return found

    def _on(self, step: Any, data: Any) -> Any:
        if isinstance(data, list):
            return self.model(data)
        if "list" in data:
            return {"list": [self.model(one) for one in data["list"]]}
        return {"slots": self.joined(step, data["slots"])}

    def _about(self, data: Data) -> Data:
        found = {**data}
        if "raised" in data:
            found["raised"] = self.value(data["raised"])
        if "answers" in data:
            found["answers"] = [
                [
                    self.kind(kind),
                    waiter,
                    self.value(wanted),
                    None if event is None else self.model(event),
                    attempt,
                ]
                for kind, waiter, wanted, event, attempt in data["answers"]
            ]
        return found

    def paused(self, data: Data, step: Any) -> Data:
        """Return a pause of a step."""
        found = {**data, "for": self._waits_for(step, data["for"])}
        if "answers" in data:
            found["answers"] = [[by, self.value(answer)] for by, answer in data["answers"]]
        if "given" in data:
            found["given"] = self.value(data["given"])
        return found

    def _waits_for(self, step: Any, data: Data) -> Data:
        if data["kind"] == "Question":
            return self.question(step, data)
        if data["kind"] == "Outside":
            return {**data, "events": self.awaited(step, data.get("events") or [data["event"]])}
        if data["kind"] == "Child":
            return {**data, "ends": [self.kind(one) for one in data["ends"]]}
        return {**data, "items": [self.value(one) for one in data["items"]]} if "items" in data else data

    def buffer(self, data: list[Any]) -> list[Any]:
        """Return what a step written by hand has collected."""
        step, kind, about, kept, *more = data
        if kind == "pair":
            return [self.step(step), kind, about, [[self.model(one) for one in queue] for queue in kept]]
        expected = [[self.kind(name), count] for name, count in more[0]]
        return [self.step(step), kind, about, [self.model(one) for one in kept], expected, *more[1:]]

    def frame(self, data: Data) -> Data:
        """Return what keeps events together."""
        found = {**data}
        if "fork" in data:
            found["fork"] = self.step(data["fork"])
        if "collectors" in data:
            found["collectors"] = [self.step(one) for one in data["collectors"]]
        if "joins" in data:
            found["joins"] = [
                [self.step(step), value, self.joined(step, arrived), *rest]
                for step, value, arrived, *rest in data["joins"]
            ]
        if "runs" in data:
            found["runs"] = [self._of_step(one) for one in data["runs"]]
        if "collected" in data:
            found["collected"] = [
                [self.step(step), [[path, self.model(event)] for path, event in events]]
                for step, events in data["collected"]
            ]
        if "pending" in data:
            found["pending"] = [[position, self.model(event)] for position, event in data["pending"]]
        return found


_SINGLE: Final = frozenset({"inputs", "way", "failing"})
"""What there is one of; all else are lists."""
