"""Triggers → methods that make the start events of the runs that they start."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call, construct
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.methods.writer import BODY
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import SELF, PythonFunction
from wfc.compiler.expressions.python.annotations import annotation
from wfc.compiler.model import Workflow
from wfc.compiler.model.triggers import Schedule, Topic, Trigger, Webhook
from wfc.compiler.python.literals import Code, literal, method_name

__all__ = ["trigger_methods"]


def trigger_methods(workflow: Workflow, names: ModuleNames) -> Iterator[PythonFunction]:
    """Yield a method for each trigger."""
    for trigger in workflow.triggers:
        match trigger.source:
            case Schedule(cron=cron, zone=zone, missed=missed):
                about = {"cron": literal(cron), "zone": literal(zone), "missed": literal(missed)}
                yield trigger_method(workflow, trigger, names, Code("ScheduleTrigger"), about)
            case Topic(topic=topic):
                assert trigger.body is not None
                kind = Code(f"TopicTrigger[{annotation(trigger.body, names)}]")
                yield trigger_method(workflow, trigger, names, kind, {"topic": literal(topic)})
            case Webhook() as hook:
                assert trigger.body is not None
                kind = Code(f"WebhookTrigger[{annotation(trigger.body, names)}]")
                yield trigger_method(workflow, trigger, names, kind, about_hook(hook))


def about_hook(hook: Webhook) -> dict[str, Code]:
    about = {"webhook": hook.path, "secret": hook.secret, "header": hook.header, "within": hook.within}
    return {name: literal(value) for name, value in about.items() if value is not None}


def trigger_method(
    workflow: Workflow, trigger: Trigger, names: ModuleNames, kind: Code, about: dict[str, Code]
) -> PythonFunction:
    config = FunctionParameter("config", Code("config"), names.config)
    occasion = FunctionParameter("trigger", Code("trigger"), kind)
    function = FunctionBuilder(names.scope, (config, occasion))
    if not isinstance(trigger.source, Schedule):
        function.use_all("trigger")  # by which the runtime knows what is sent
    writer, record = ValueWriter(function, names), workflow.start.record
    given = {name: writer.value(trigger.given[name]) for name in record.fields if name in trigger.given}
    lines = fit(f"return {construct(record, given, names)}", BODY)
    decorator = call(Code("run_trigger"), literal(trigger.name), **about)
    name = names.class_scope.give(f"start_{method_name(trigger.name).rstrip('_')}")
    return PythonFunction(name, (SELF, *function.parameters), names.of(record), lines, decorator=decorator)
