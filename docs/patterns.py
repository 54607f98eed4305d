"""The page `specs/README.md`: the specs of that folder by the patterns that they show, each with its flow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from wfc.compiler.draw import flow_graph
from wfc.compiler.model import Workflow
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import load
from wfc.runtime.drawing.graph import graph_from_data
from wfc.runtime.drawing.rendering import render

__all__ = ["patterns"]

FOLDER: Final = Path(__file__).parent.parent / "specs"

PATTERNS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "One step after another": {
        "Routing by structured output": ("ticket_triage",),
        "A model chooses by the type of its answer": ("one_choice",),
        "A model reads a picture": ("receipt_reader",),
        "Prompt chain with a gate": ("job_advert",),
        "Loop with a branch": ("feedback_monitor", "feedback_monitor_streaming"),
        "Loop limit with a graceful end": ("book_search",),
        "Reflection with a budget": ("welcome_speech",),
        "Pagination": ("museum_catalogue",),
        "Polling": ("job_polling",),
    },
    "Side by side": {
        "Parallel and aggregate": ("city_trip_offer", "feedback_trader"),
        "Map and reduce": ("map_reduce",),
        "Votes side by side": ("parallel_vote",),
        "One event for each item, and a join": ("release_notes",),
        "Orchestrator and workers": ("newspaper_report",),
        "Retry with partial failure of a fan-out": ("appointment_reminders",),
    },
    "Agents": {
        "A first agent": ("first_agent",),
        "A model with tools": ("order_desk",),
        "Thought, action, observation": ("react_calculator",),
        "Code that is written for the question": ("sales_analyst",),
        "Functions that are kept once a person has approved them": ("kept_functions",),
        "People allow an agent's calls": ("refund_desk",),
        "Tools that depend on what has happened": ("bank_desk",),
        "A supervisor that hands over and gets the talk back": ("trip_supervisor",),
        "A supervisor with agents as tools": ("report_desk",),
        "Teams of teams": ("film_studio",),
        "A network of agents that hand over": ("help_network",),
        "Agents in a flow of one's own": ("letter_agents",),
        "A talk until the matter is settled": ("support_talk",),
        "The next talk begins with who was at work last": ("hotel_desk", "travel_chat"),
        "A talk that knows the state and keeps what it learns": ("account_desk",),
        "A long talk, summed up": ("long_talk",),
        "Memory that outlives runs": ("guest_book",),
        "Plan, execute, plan again": ("plan_and_execute",),
        "An agent with a budget": ("market_study",),
    },
    "Knowledge": {
        "Answer with sources": ("coffee_desk",),
        "Refine an answer": ("refined_answer",),
        "Sum up in a tree": ("tree_answer",),
        "One answer a source, compared": ("compared_sources",),
        "Route questions to collections": ("question_router",),
        "A question of several steps": ("question_in_steps",),
        "Grade, rewrite, search again": ("corrected_search",),
        "Talk about documents": ("manual_chat",),
        "A table of records from documents": ("record_table",),
        "Metadata that a model infers": ("labelled_letters",),
    },
    "Effects in the world": {
        "Idempotent payment that is retried": ("donation",),
        "Saga that undoes what it did": ("trip_booking",),
    },
    "People and time": {
        "Approval with an edit": ("reply_approval",),
        "Validated form input": ("expense_claim",),
        "A person choosing between two models' proposals": ("two_proposals",),
        "Delay and deadline": ("trial_reminder",),
        "Conversation with history": ("museum_guide",),
    },
    "Several workflows": {
        "Outside events correlated by key": ("order_payment",),
        "Sub-workflow with its own state": ("moving_house", "room_packing"),
        "Two workflows that message each other": ("restaurant_order", "kitchen"),
        "Shared declarations, and parts of several teams": ("bicycle_repair/bicycle_repair",),
    },
}
"""Headings → patterns → specs, in the order in which they are best read."""

HEAD: Final = """\
# Workflows to read, and to start from

One for each pattern, from simple to involved. Each begins with what it does and for whom, and ends with its tests;
whoever has read [the guide](../docs/guide.md) can read them. `wfc check specs` and `wfc test specs` work on all of
them, and `wfc graph specs/book_search.yaml` draws one.

"""


def patterns() -> str:
    """The whole page."""
    return HEAD + "".join([*listed(), *pictures()])


def listed() -> Iterator[str]:
    yield "| pattern | spec | what it does |\n| --- | --- | --- |\n"
    for group in PATTERNS.values():
        for pattern, names in group.items():
            for name in names:
                shown = f"[{pattern}](#{anchor(pattern)})" if name == names[0] else ""
                yield f"| {shown} | {link(name)} | {workflow(name).description.strip()} |\n"


def pictures() -> Iterator[str]:
    for heading, group in PATTERNS.items():
        yield f"\n## {heading}\n"
        for pattern, names in group.items():
            yield f"\n### {pattern}\n"
            for name in names:
                drawn = render(graph_from_data(flow_graph(workflow(name))), "mermaid")
                yield f"\n{link(name)}: {workflow(name).description.strip()}\n\n```mermaid\n{drawn}```\n"


def link(name: str) -> str:
    return f"[{Path(name).name}]({name}.yaml)"


def anchor(words: str) -> str:
    return "".join(letter for letter in words.lower().replace(" ", "-") if letter.isalnum() or letter == "-")


def workflow(name: str) -> Workflow:
    source = load(str(FOLDER / f"{name}.yaml"))
    checked = check_text(source.raw, source.path, project_of([source]))  # its path leads to its parts
    assert checked.workflow is not None and not checked.failed, name
    return checked.workflow
