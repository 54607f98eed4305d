"""Names that generated code cannot give away: Python's, pydantic's, the runtime's and its own."""

from __future__ import annotations

import keyword
from typing import Final

__all__ = ["CLASSES", "CONSTANTS", "FIELDS", "LOCALS", "METHODS", "WORKFLOW_ATTRIBUTES"]

KEYWORDS: Final = frozenset(keyword.kwlist)

BUILTINS: Final = frozenset(
    """
    all any bool bytes dict enumerate filter float frozenset int isinstance iter len list map max min next
    object print property range repr reversed round set sorted staticmethod classmethod str sum super tuple type
    zip abs
    """.split()
)  # those that generated code or its annotations may mention

IMPORTED_MODULES: Final = frozenset(
    {"date", "datetime", "filters", "overload", "pause", "run_key", "step", "timedelta", "transform"}
)

IMPORTED_CLASSES: Final = frozenset(
    """
    AliasChoices All AllOf Annotated Any AnyUrl AskingTool AtLeast AwareDatetime Basic Batch Bearer Bounds Cache
    CallLimit ClosedFields Collect Config Context Decimal Duration EachOf Event Exception Fail Field File FirstOf
    ForeignSchema Format HttpResponse HumanResponseEvent InputRequiredEvent Inputs Iterator Limits Literal Mapping
    McpServer Message Model
    Moment Number OAuth2 OpenApiOperation Output Passage Path PythonResource PythonTool Receives Record Resource Restart
    RetryBounds RetryPolicy RunConfig RunInfo RunState ScheduleTrigger Secret Self Sequence StartEvent State StepBounds
    StepError StopEvent Take TopicTrigger Unhandled UNHANDLED Unmet UTC ValueError WebhookTrigger Workflow
    WorkflowHandler
    """.split()
)

MODEL_ATTRIBUTES: Final = frozenset(
    """
    construct copy dict from_orm json model_computed_fields model_config model_construct model_copy model_dump
    model_dump_json model_extra model_fields model_fields_set model_json_schema model_parametrized_name
    model_post_init model_rebuild model_validate model_validate_json model_validate_strings parse_file parse_obj
    parse_raw schema schema_json update_forward_refs validate
    """.split()
)  # of pydantic's BaseModel

EVENT_ATTRIBUTES: Final = frozenset({"custom_model_dump", "get", "items", "keys", "to_dict", "values"})

STATE_ATTRIBUTES: Final = frozenset({"checked"})

WORKFLOW_ATTRIBUTES: Final = frozenset(
    """
    add_step add_workflows engine events resource_manager run serializer start_event_class stop_event_class timeout
    validate workflow_name
    """.split()
)  # public ones, which a method would hide from programs and from type checkers

OF_RUNS: Final = frozenset(
    {
        "run_bounds",
        "run_cancel",
        "run_deadline",
        "run_error",
        "run_key",
        "run_migration",
        "run_trigger",
        "runs_per",
    }
)

ANNOTATIONS: Final = frozenset({"bool", "dict", "float", "int", "list", "str", "tuple", "type"})

FIELDS: Final = (
    KEYWORDS
    | MODEL_ATTRIBUTES
    | EVENT_ATTRIBUTES
    | STATE_ATTRIBUTES
    # a class that has a field `date: date | None = None` cannot say `date` any more
    | ANNOTATIONS
    | {"date", "datetime", "timedelta"}
)
"""What no attribute of a record, an event, a state or a config may be called."""

CLASSES: Final = KEYWORDS | IMPORTED_CLASSES
"""What no class of a module may be called. The module's own ``State`` and ``Config`` are among them."""

METHODS: Final = KEYWORDS | WORKFLOW_ATTRIBUTES | {"pause", "step", "transform"} | OF_RUNS | BUILTINS
"""What no step's method may be called: in a class body it would hide what later lines mention."""

LOCALS: Final = (
    KEYWORDS
    | BUILTINS
    | IMPORTED_MODULES
    | OF_RUNS
    | {"args", "config", "ctx", "emitted", "error", "event", "events", "inputs", "item", "parts", "position"}
    | {"response", "result", "run", "self", "state", "trigger"}
)
"""What no item may be called inside a generated function."""

CONSTANTS: Final = frozenset({"UNHANDLED"})
"""What no constant of a module may be called."""
