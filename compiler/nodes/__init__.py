"""A workflow, resolved: frozen nodes that hold the nodes they mention. Names are gone.

Times are in seconds everywhere. Addresses say where in the spec a node comes from.
"""

from __future__ import annotations

from wfc.compiler.nodes.accepts import AnyOf, Join
from wfc.compiler.nodes.actions import Action, Call, HttpCall, LlmCall, MapItems, ToolCall
from wfc.compiler.nodes.bindings import Auth, Header, HttpRequest, Model, Retry, Tool
from wfc.compiler.nodes.cases import MockAnswer, TestCase
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
    Save,
)
from wfc.compiler.nodes.steps import Requirement, Step, Stream
from wfc.compiler.nodes.values import Secret, Value
from wfc.compiler.nodes.workflow import Import, Workflow

__all__ = [
    "Action",
    "AnyOf",
    "Auth",
    "Call",
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
    "LlmCall",
    "MapItems",
    "Merge",
    "MockAnswer",
    "Model",
    "Nothing",
    "Requirement",
    "Retry",
    "Save",
    "Secret",
    "Step",
    "Stream",
    "TestCase",
    "Tool",
    "ToolCall",
    "Value",
    "Workflow",
]
