"""A workflow, resolved: frozen nodes that hold the nodes they mention. Names are gone.

Times are in seconds everywhere. Addresses say where in the spec a node comes from.
"""

from __future__ import annotations

from wfc.compiler.nodes.accepts import AnyOf, Join
from wfc.compiler.nodes.actions import Action, Call, HttpCall, LlmCall, MapItems, ToolCall, WorkflowCall
from wfc.compiler.nodes.agents import Agent, Knowledge
from wfc.compiler.nodes.bindings import Auth, Header, HttpRequest, Model, Prompt, Resource, Retry, Tool
from wfc.compiler.nodes.cases import Delivery, MockAnswer, TestCase
from wfc.compiler.nodes.events import Event
from wfc.compiler.nodes.exits import (
    Emission,
    Emit,
    EmitAll,
    EmitEach,
    Entry,
    Exit,
    Fail,
    Fill,
    Merge,
    Nothing,
    Restart,
    Save,
)
from wfc.compiler.nodes.messages import Received, RunKey, SendEvent, WhenRunning
from wfc.compiler.nodes.pauses import AskPerson, Pause, WaitEvent, WaitFor, WaitUntil
from wfc.compiler.nodes.runs import Limits, Whole
from wfc.compiler.nodes.steps import Cached, Requirement, Step, Stream
from wfc.compiler.nodes.values import Secret, Value
from wfc.compiler.nodes.workflow import Import, Workflow

__all__ = [
    "Action",
    "Agent",
    "AnyOf",
    "AskPerson",
    "Auth",
    "Cached",
    "Call",
    "Delivery",
    "Emission",
    "Emit",
    "EmitAll",
    "EmitEach",
    "Entry",
    "Event",
    "Exit",
    "Fail",
    "Fill",
    "Header",
    "HttpCall",
    "HttpRequest",
    "Import",
    "Join",
    "Knowledge",
    "Limits",
    "LlmCall",
    "MapItems",
    "Merge",
    "MockAnswer",
    "Model",
    "Nothing",
    "Pause",
    "Prompt",
    "Received",
    "Requirement",
    "Resource",
    "Restart",
    "Retry",
    "RunKey",
    "Save",
    "Secret",
    "SendEvent",
    "Step",
    "Stream",
    "TestCase",
    "Tool",
    "ToolCall",
    "Value",
    "WaitEvent",
    "WaitFor",
    "WaitUntil",
    "WhenRunning",
    "Whole",
    "Workflow",
    "WorkflowCall",
]
