"""Construction of plain data from YAML events, without recursion and within limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import yaml

from wfc.compiler.diagnostics import Address, Finding, Place, Report
from wfc.compiler.limits import MAX_FINDINGS
from wfc.compiler.rules import reading as problems
from wfc.compiler.yaml.alias_sizes import Sizes
from wfc.compiler.yaml.parser import YAMLError, events
from wfc.compiler.yaml.scalars import FIRST, OutOfRange, plain
from wfc.compiler.yaml.truncation import check_comment_after, check_key_without_value, is_condition
from wfc.compiler.yaml.wrong_nodes import describe, map_as_key, top_not_a_map

__all__ = ["BROKEN", "MAX_ALIASED", "MAX_DEPTH", "MAX_FINDINGS", "MAX_VALUES", "build"]

MAX_DEPTH: Final = 100
MAX_ALIASED: Final = 250_000
MAX_VALUES: Final = 500_000


class Broken:
    """The type of `BROKEN`."""

    def __repr__(self) -> str:
        return "BROKEN"


BROKEN: Final = Broken()
"""Stands in a document's data for a value with which something is wrong that has been reported."""

NO_KEY: Final = Broken()  # a map waits for its next key
DROPPED: Final = Broken()  # a key whose value goes nowhere


DOUBTFUL: Final = FIRST | {"", "<"}
"""With what a text begins that may be none, or no key; some of those that are empty or merge keys too."""

TOO_DEEP: Final = "maximum nesting depth"
"""What newer versions of libyaml say where its scanner, which looks ahead, gives up before an event comes."""

NO_COLON: Final = r"\s*[,}\]]"
PROPERTIES: Final = r"(?:[&!]\S*\s+(?:#[^\r\n\x85\u2028\u2029]*\s+)*)+"
TAG: Final = r"(?:&\S*\s+)?(!\S*)[ \t]*"


class GiveUp(Exception):  # noqa: N818 - no error: the reason is a finding
    """The exception that ends reading; its finding contains the reason."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding


def build(
    text: str,
    report: Report,
    *,
    fast: bool = True,
    make: Callable[[str, Report], Builder] | None = None,
) -> tuple[object, bool, int, dict[Address, int]]:
    """Return a document's data, whether it is complete, how far the text was read, and where some keys begin.

    Args:
        text: As ``decode`` gives it.
        report: Receives the findings.
        fast: Whether to use the parser in C if there is one.
        make: Begins to build the tree of a text.

    Returns:
        The data, a ``dict`` with texts as keys, or ``None`` if it could not be read; ``False`` if ``BROKEN``
        stands anywhere in it; a number of code points; and of keys that are found by the way their places. Repeated
        values (aliases) are one object: treat all as frozen.
    """
    builder = (make or Builder)(text, report)
    try:
        data = builder.run(events(text, fast=fast))
    except GiveUp as end:
        finding = end.finding
    except YAMLError as error:
        if isinstance(error, yaml.MarkedYAMLError) and TOO_DEEP in str(error.problem) and error.problem_mark:
            at = error.problem_mark.index
            report(problems.too_deep(Place((), "text", at, at + 1), MAX_DEPTH))
            return None, False, at, {}
        from wfc.compiler.yaml.syntax_errors import (  # a good spec never needs it
            has_explained,
            syntax_finding,
        )

        finding = syntax_finding(error, text)
        if has_explained(builder.last, finding, text):
            return None, False, finding.place.start or 0, {}
    except RecursionError:  # only the slow parser could
        finding = problems.too_deep(Place((), "text", 0, 0), MAX_DEPTH)
    else:
        return data, builder.whole, len(text), builder.begins
    report(finding)
    return None, False, finding.place.start or 0, {}


class Builder:
    """The partially built tree: the open map or list, and those that contain it."""

    __slots__ = (
        "aliased",
        "anchors",
        "begins",
        "findings",
        "flow",
        "in_key",
        "key",
        "key_event",
        "last",
        "node",
        "open_anchors",
        "report",
        "sizes",
        "stack",
        "text",
        "unreliable",
        "values",
        "whole",
    )

    def __init__(self, text: str, report: Report) -> None:
        self.text = text
        self.report = report
        self.findings = 0
        self.last: Finding | None = None
        self.whole = True
        self.values = 0
        self.aliased = 0
        self.node: Any = []  # a list that takes the document's one value
        self.key: Any = NO_KEY
        self.key_event: Any = None
        self.in_key = 0  # how deep the maps and lists stood when one began where a key should be
        self.flow = False
        self.unreliable = False  # nobody knows what is in the open map, and why is reported
        self.stack: list[tuple[Any, Any, bool, bool, str | None]] = []
        self.anchors: dict[str, Any] = {}
        self.open_anchors: set[str] = set()
        self.sizes = Sizes()
        self.begins: dict[Address, int] = {}  # where the keys of maps in the maps of the top stand

    def run(self, next_event: Callable[[], Any]) -> object:
        handlers: dict[type, Callable[[Any], None]] = {
            yaml.AliasEvent: self.alias,
            yaml.MappingStartEvent: self.start_map,
            yaml.SequenceStartEvent: self.start_list,
            yaml.MappingEndEvent: self.end,
            yaml.SequenceEndEvent: self.end,
            yaml.DocumentStartEvent: self.document,
        }
        top = self.node
        scalar = self.scalar
        scalar_event = yaml.ScalarEvent
        while True:
            event = next_event()
            kind = event.__class__
            if kind is scalar_event:
                scalar(event)
            elif handler := handlers.get(kind):
                handler(event)
            elif kind is yaml.StreamEndEvent:
                break
        if not top:
            raise GiveUp(problems.empty_file(Place((), "text", 0, 0)))
        if not isinstance(top[0], dict):
            raise GiveUp(top_not_a_map(top[0], self.text))
        return top[0]

    # --- events

    def document(self, event: Any) -> None:
        if self.node:
            raise GiveUp(problems.several_documents(self.place(event)))

    def scalar(self, event: Any) -> None:
        text: str = event.value
        node = self.node
        if node.__class__ is dict and self.key is NO_KEY:
            self.key_event = event
            if event.tag is not None or (text[:1] in DOUBTFUL and event.implicit[0]):
                text = self.checked_key(event)
            if text in node:
                self.twice(event, text)
            else:
                self.key = text
            if event.anchor is not None:
                self.anchors[event.anchor] = text
            return
        value: object = text
        if event.implicit[0]:
            if text[:1] in DOUBTFUL:
                value = self.number_or_word(event, text)
            at = event.end_mark.index
            if self.text[at : at + 1] in " \t" or (self.flow and text == ""):
                value = self.ambiguous(event, value)
        if event.tag is not None:
            negated = self.tagged(event)
            value = self.broken() if text == "" or negated else value
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        self.add(value)

    def alias(self, event: Any) -> None:
        name = event.anchor
        place = self.place(event)
        if self.node.__class__ is dict and self.key is NO_KEY:
            self.find(problems.key_not_text(place, f"the alias `*{name}`", "write the key out"))
            self.key = DROPPED
            return
        if name in self.open_anchors:
            self.find(problems.alias_of_itself(place, name))
        elif name not in self.anchors and self.unreliable:
            pass  # it is what a merge key would take in
        elif name not in self.anchors:
            hint = "a text that begins with `*` needs quotes"
            self.find(problems.unknown_alias(place, name, sorted(self.anchors), hint))
        else:
            value = self.anchors[name]
            size, height = self.sizes.of(value)
            self.aliased += size
            if self.aliased > MAX_ALIASED:
                raise GiveUp(problems.too_many_aliases(place, MAX_ALIASED))
            if height + len(self.stack) > MAX_DEPTH:
                raise GiveUp(problems.too_deep(place, MAX_DEPTH))
            self.add(value)
            return
        self.add(self.broken())

    def start_map(self, event: Any) -> None:
        self.start(event, {})

    def start_list(self, event: Any) -> None:
        self.start(event, [])

    def start(self, event: Any, node: Any) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise GiveUp(problems.too_deep(self.place(event), MAX_DEPTH))
        if self.node.__class__ is dict and self.key is NO_KEY:
            if not self.in_key:
                if not (self.flow and self.unreliable):
                    self.find(map_as_key(event, self.text))
                self.in_key = len(self.stack) + 1
                if self.flow:
                    self.whole, self.unreliable = False, True
            self.key = DROPPED
            key: Any = NO_KEY  # what comes after it is its value, and goes nowhere as well
        else:
            key = self.key
            if len(self.stack) == 2 and key.__class__ is str:  # a step, most often
                self.mark(key)
        if event.tag is not None:
            self.tagged(event)
        if event.anchor is not None:
            self.open_anchors.add(event.anchor)
        self.stack.append((self.node, key, self.flow, self.unreliable, event.anchor))
        self.node, self.key, self.flow, self.unreliable = node, NO_KEY, bool(event.flow_style), False

    def mark(self, key: str) -> None:
        """Keep where a key stands that has nothing before it, so that nobody has to read all places for its line."""
        event, section = self.key_event, self.stack[-1][1]
        if event.anchor is None and event.tag is None and section.__class__ is str:
            self.begins[section, key] = event.start_mark.index

    def end(self, event: Any) -> None:
        self.values += len(self.node)
        if self.values > MAX_VALUES:
            raise GiveUp(problems.too_many_values(Place((), "text", 0, 0), MAX_VALUES))
        value = BROKEN if self.unreliable else self.node
        self.node, key, self.flow, self.unreliable, anchor = self.stack.pop()
        if len(self.stack) < self.in_key:
            self.in_key = 0
        if anchor is not None:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = value
        if key is NO_KEY and self.node.__class__ is dict:
            self.key = DROPPED  # it was a key
            return
        self.key = key
        self.add(value)

    # --- what they amount to

    def add(self, value: object) -> None:
        node = self.node
        if node.__class__ is list:
            node.append(value)
        else:
            if self.key is not DROPPED:
                node[self.key] = value
            self.key = NO_KEY

    def checked_key(self, event: Any) -> str:
        text: str = event.value
        if event.tag is not None:
            self.tagged(event)
        elif text == "<<":
            self.find(problems.merge_key(self.place(event)))
            self.whole, self.unreliable = False, True
        else:
            try:
                value = plain(text)
            except OutOfRange:
                value = 0
            if value.__class__ is not str:
                if self.flow and re.compile(NO_COLON).match(self.text, event.end_mark.index):
                    return text  # a key without a value, which is reported as such
                found, hint = ("missing", "") if text == "" else (describe(value), f'write `"{text}"`')
                place = (
                    self.place(event)
                    if text
                    else Place((), "text", event.end_mark.index, event.end_mark.index + 1)
                )
                self.find(problems.key_not_text(place, found, hint, quotable=bool(text)))
        return text

    def twice(self, event: Any, key: str) -> None:
        first = Place((*self.address(), key), "key")
        self.key = DROPPED
        nothing = (
            key in self.node and self.node[key] is None
        )  # two lines for one; what stands there is told once
        above = self.address()
        of_step = above[:1] == ("steps",) and len(above) == 2
        of_spec = not above and key != "steps" and self.node.get(key).__class__ is dict
        if nothing or of_step or of_spec:  # either of the two may be meant
            self.node[key] = self.broken()
        in_list = self.stack[-1][0].__class__ is list and len(self.stack) > 1
        if key != "<<" and not (in_list and self.unreliable):
            begins_item = in_list and not self.flow and next(iter(self.node)) == key
            self.find(problems.duplicate_key(self.place(event), key, first, begins_item=begins_item))
        if in_list:
            self.whole, self.unreliable = False, True  # two items, perhaps, which have become one

    def number_or_word(self, event: Any, text: str) -> object:
        try:
            return plain(text)
        except OutOfRange:
            self.find(problems.number_out_of_range(self.place(event), text))
            return self.broken()

    def ambiguous(self, event: Any, value: object) -> object:
        in_map = self.node.__class__ is dict
        key = self.key if in_map and self.key.__class__ is str else ""
        if self.flow and in_map and event.value == "":
            finding = check_key_without_value(
                self.text, self.key_event, event, next(reversed(self.node), ""), self.address()
            )
            if finding is not None:
                if self.key is not DROPPED and not self.in_key and not self.unreliable:
                    self.find(finding)
                    self.whole, self.unreliable = False, True
                self.key = DROPPED
                return None
        finding, cut = check_comment_after(self.text, event, key, self.address())
        if finding is not None:
            self.find(finding)
        return self.broken() if cut else value

    def tagged(self, event: Any) -> bool:
        """Report a tag, and return whether it is meant as the `not` of a condition."""
        at = re.compile(TAG).match(self.text, event.start_mark.index)
        place = Place((), "text", *at.span(1)) if at else self.place(event)
        text = at.group(1) if at else "!"
        negated = is_condition(self.key, self.address()) and text[1:2] not in {"", "!"}
        self.find(problems.tag(place, text, at.end() if at else place.end or 0, negated=negated))
        return negated

    def broken(self) -> Broken:
        self.whole = False
        return BROKEN

    def find(self, finding: Finding) -> None:
        self.report(finding)
        self.last = finding
        self.findings += 1
        if self.findings >= MAX_FINDINGS:
            raise GiveUp(problems.too_many_findings(Place((), "text", 0, 0), MAX_FINDINGS))

    def place(self, event: Any) -> Place:
        """Return an event's place in the text, without its tag and anchor."""
        start, end = event.start_mark.index, event.end_mark.index
        if (skip := re.compile(PROPERTIES).match(self.text, start)) and skip.end() < end:
            start = skip.end()
        return Place((), "text", start, end)

    def address(self) -> Address:
        """Return the address of the open map or list."""
        return tuple(
            len(node) if node.__class__ is list else key if key.__class__ is str else ""
            for node, key, *_ in self.stack[1:]
        )
