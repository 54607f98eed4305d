"""A resolved workflow: frozen nodes that refer to each other directly, not by name.

Times are in seconds everywhere. Addresses say where in the spec a node comes from.
"""

from __future__ import annotations

from wfc.compiler.model.accepts import AnyOf, Join, clock_start, joined_events
from wfc.compiler.model.agents import Agent, Approval, HandOver, Knowledge, ToolUse
from wfc.compiler.model.bindings import (
    LONGEST_DELAY,
    Argument,
    Auth,
    ChosenAddress,
    CommandLine,
    Header,
    HttpRequest,
    McpOperation,
    McpServer,
    Model,
    NamedText,
    OAuth2,
    Resource,
    Retry,
    Tool,
)
from wfc.compiler.model.cases import Delivery, MockAnswer, ScriptedReply, TestCase
from wfc.compiler.model.events import Event
from wfc.compiler.model.exits import (
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
from wfc.compiler.model.kinds import (
    Action,
    AgentCall,
    Call,
    CommandCall,
    HttpCall,
    LlmCall,
    MapItems,
    RunsInside,
    ToolCall,
    WorkflowCall,
)
from wfc.compiler.model.messages import Received, RunKey, SendEvent, WhenRunning
from wfc.compiler.model.pauses import AskPerson, Pause, WaitEvent, WaitFor, WaitUntil
from wfc.compiler.model.runs import Limits, Whole
from wfc.compiler.model.steps import USUAL_CONCURRENCY, Cached, Requirement, Step, Stream
from wfc.compiler.model.values import Secret, Value
from wfc.compiler.model.workflow import Import, Workflow

__all__ = [
    "LONGEST_DELAY",
    "USUAL_CONCURRENCY",
    "Action",
    "Agent",
    "AgentCall",
    "AnyOf",
    "Approval",
    "Argument",
    "AskPerson",
    "Auth",
    "Cached",
    "Call",
    "ChosenAddress",
    "CommandCall",
    "CommandLine",
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
    "HandOver",
    "Header",
    "HttpCall",
    "HttpRequest",
    "Import",
    "Join",
    "Knowledge",
    "Limits",
    "LlmCall",
    "MapItems",
    "McpOperation",
    "McpServer",
    "Merge",
    "MockAnswer",
    "Model",
    "NamedText",
    "Nothing",
    "OAuth2",
    "Pause",
    "Received",
    "Requirement",
    "Resource",
    "Restart",
    "Retry",
    "RunKey",
    "RunsInside",
    "Save",
    "ScriptedReply",
    "Secret",
    "SendEvent",
    "Step",
    "Stream",
    "TestCase",
    "Tool",
    "ToolCall",
    "ToolUse",
    "Value",
    "WaitEvent",
    "WaitFor",
    "WaitUntil",
    "WhenRunning",
    "Whole",
    "Workflow",
    "WorkflowCall",
    "clock_start",
    "joined_events",
]
