"""Settings of a spec's runs as a whole → methods that belong to no step, and keywords of the class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wfc.compiler.codegen.bindings import Bindings, retry_arguments
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.methods.tails import TailWriter
from wfc.compiler.codegen.methods.writer import BODY
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.expressions import Expression
from wfc.compiler.model import LONGEST_DELAY, AskPerson, Join, MapItems, Retry, Step, Workflow
from wfc.compiler.model.kinds import calls_agent
from wfc.compiler.model.runs import Limits
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import STRING, show

__all__ = ["run_keywords", "run_methods"]

LIMITS = ("steps", "tokens", "cost_usd", "concurrent_runs")
FRACTIONS = {"number": "float", "decimal": "Decimal"}
HOOKS = {
    "on_error": ("run_error", "run_failed"),
    "on_deadline": ("run_deadline", "run_out_of_time"),
    "on_cancel": ("run_cancel", "run_cancelled"),
}


def run_keywords(workflow: Workflow) -> dict[str, Code]:
    """Return the keywords in the head of a workflow's class."""
    run, named = workflow.run, dict[str, Code]()
    if run.limits is not None:
        given = {key: getattr(run.limits, key) for key in LIMITS}
        bounds = {key: literal(value) for key, value in given.items() if isinstance(value, (int, float))}
        if bounds:
            named["limits"] = call(Code("Limits"), **bounds)
    if run.moved:
        pairs = ", ".join(f"{literal(old)}: {literal(new)}" for old, new in run.moved)
        named["moved"] = Code(f"{{{pairs}}}")
    if run.removed:
        named["removed"] = literal(run.removed)
    return named


def run_methods(workflow: Workflow, names: ModuleNames, bindings: Bindings) -> Iterator[PythonFunction]:
    """Yield the methods for the exits of a run, and for what identifies a run."""
    start = FunctionParameter("inputs", Code("inputs"), Code(f"Inputs[{names.of(workflow.start.record)}]"))
    limits = workflow.run.limits
    if limits is not None and limits.per is not None:
        plain = FunctionParameter("inputs", Code("inputs"), names.of(workflow.start.record))
        function = FunctionBuilder(names.scope, (plain,))
        function.use_all("inputs")
        value = function.expression(limits.per)
        of_text = limits.per.type == STRING
        # numbers as they are: the runtime knows which of their spellings are equal
        kind = Code(FRACTIONS.get(show(limits.per.type), "str"))
        spelled = f"return {value}" if of_text or kind != "str" else f"return str({value})"
        yield run_method("runs_per", "runs_per_value", names, function, kind, fit(spelled, BODY))
    if (bounds := bounds_method(workflow, names, start)) is not None:
        yield bounds
    at_hand = (
        start,
        FunctionParameter("state", Code("state"), names.state),
        FunctionParameter("config", Code("config"), names.config),
        FunctionParameter("run", Code("run"), Code("RunInfo")),
        FunctionParameter("error", Code("error"), Code("StepError")),
    )
    for key, exit_ in workflow.run.exits:
        hook, name = HOOKS[key]
        function = FunctionBuilder(names.scope, at_hand)
        tail = TailWriter(function, names, workflow.state, bindings=bindings)
        unhandled = key == "on_error" and not exit_.exhaustive
        lines = tail.lines(exit_, (), unhandled=unhandled)
        yield run_method(hook, name, names, function, tail.returns(exit_, unhandled=unhandled), lines)


def bounds_method(workflow: Workflow, names: ModuleNames, start: FunctionParameter) -> PythonFunction | None:
    """Return the method for the bounds that are worked out when a run starts; ``None`` if all are written out."""
    limits = workflow.run.limits or Limits()
    of_run = {"deadline": workflow.deadline} | {key: getattr(limits, key) for key in LIMITS}
    config = FunctionParameter("config", Code("config"), names.config)
    function = FunctionBuilder(names.scope, (start, config))
    named = computed(of_run, function)
    of_steps = {
        step.name: computed(step_bounds(step), function)
        | (retry_bounds(step.retry, function) if not calls_agent(step.action) else {})
        for step in workflow.steps
    }
    pairs = [
        f"{literal(name)}: {call(Code('StepBounds'), **each)}" for name, each in of_steps.items() if each
    ]
    if pairs:
        named["of_steps"] = Code(f"{{{', '.join(pairs)}}}")
    if not named:
        return None
    lines = fit(f"return {call(Code('Bounds'), **named)}", BODY)
    return run_method("run_bounds", "bounds", names, function, Code("Bounds"), lines)


def step_bounds(step: Step) -> dict[str, object]:
    """Return the bounds of a step, by the names that the runtime has for them."""
    action = step.action
    join = step.accepts if isinstance(step.accepts, Join) else None
    return {
        "timeout": None if calls_agent(step.action) else step.timeout,
        "num_workers": step.concurrency,
        "items": action.max if isinstance(action, MapItems) else None,
        "quorum": action.quorum if isinstance(action, AskPerson) else None,
        "within": join.within if join is not None else None,
        "until": join.until if join is not None else None,
        "count": join.count if join is not None else None,
    }


def retry_bounds(policy: Retry | None, function: FunctionBuilder) -> dict[str, Code]:
    """Return what a step's retry policy takes from the config, by the name that the runtime has for it."""
    if policy is None:
        return {}
    given = computed(retry_arguments(policy), function)
    if "delay" in given and policy.max_delay is None:
        usual = call(Code("timedelta"), seconds=literal(LONGEST_DELAY))
        given["max_delay"] = call(Code("max"), given["delay"], usual)
    return {"retry": call(Code("RetryBounds"), **given)} if given else {}


def computed(bounds: Mapping[str, object], function: FunctionBuilder) -> dict[str, Code]:
    """Return those of some bounds that are expressions, as Python."""
    return {key: function.expression(each) for key, each in bounds.items() if isinstance(each, Expression)}


def run_method(
    hook: str, name: str, names: ModuleNames, function: FunctionBuilder, returns: Code, lines: Sequence[str]
) -> PythonFunction:
    given = names.class_scope.give(name)
    return PythonFunction(given, (SELF, *function.parameters), returns, lines, decorator=Code(hook))
