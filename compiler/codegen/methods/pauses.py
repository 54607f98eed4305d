"""Pauses and sends of steps → the expressions for them."""

from __future__ import annotations

from wfc.compiler.codegen.bindings import Bindings
from wfc.compiler.codegen.literals.constants import call
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter, result_parameters
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.expressions import Expression
from wfc.compiler.expressions.python.annotations import annotation, union
from wfc.compiler.model import AskPerson, Pause, SendEvent, Step, WaitEvent, WaitFor, WaitUntil
from wfc.compiler.model.kinds import tells_of_agent
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.types import STRING, Enumeration, Type, members

__all__ = ["answer_parameters", "key_text", "pause_type", "pause_value", "send_call"]


def pause_value(
    pause: Pause, step: Step, function: FunctionBuilder, bindings: Bindings, names: ModuleNames
) -> Code:
    """Return what a pause waits for."""
    match pause:
        case AskPerson():
            return question_value(pause, step, function, bindings, names)
        case WaitFor(seconds=Expression() as length):
            return call(Code("Delay"), function.expression(length))
        case WaitFor(seconds=float() as seconds):
            return call(Code("Delay"), literal(seconds))
        case WaitUntil():
            return call(Code("Until"), function.expression(pause.moment))
        case WaitEvent():
            kinds = [names.of(event.record) for event in pause.events]
            awaited = kinds[0] if len(kinds) == 1 else Code(f"({', '.join(kinds)})")
            return call(Code("Outside"), awaited, **computed_bounds(step, function))
    raise AssertionError(pause)


def computed_bounds(step: Step, function: FunctionBuilder) -> dict[str, Code]:
    """Return the arguments of a pause for bounds that are computed; a bound that is written out is the
    decorator's.
    """
    named = {"within": step.within, "until": step.until}
    return {
        name: function.expression(bound) for name, bound in named.items() if isinstance(bound, Expression)
    }


def question_value(
    asked: AskPerson, step: Step, function: FunctionBuilder, bindings: Bindings, names: ModuleNames
) -> Code:
    values = ValueWriter(function, names)
    form = names.of(asked.form) if asked.form is not None else Code("None")
    named = {"title": function.template(asked.title)}
    if asked.show is not None:
        named["show"] = bindings.text(asked.show, f"{step.name}_show", function)
    if asked.choices:
        lists = (f"{literal(name)}: {function.expression(each)}" for name, each in asked.choices)
        named["choices"] = Code(f"{{{', '.join(lists)}}}")
    if asked.prefill:
        pairs = (f"{literal(name)}: {values.value(value)}" for name, value in asked.prefill)
        named["prefill"] = Code(f"{{{', '.join(pairs)}}}")
    if asked.assign:
        named["assign"] = Code(f"[{', '.join(function.template(each) for each in asked.assign)}]")
    if isinstance(asked.quorum, int):
        named["quorum"] = literal(asked.quorum)
    if isinstance(asked.remind, Expression):
        named["remind"] = function.expression(asked.remind)
    elif asked.remind is not None:
        named["remind"] = literal(asked.remind)
    named |= computed_bounds(step, function)
    return call(Code("Question"), form, **named)


def pause_type(pause: Pause, names: ModuleNames) -> Code:
    """Return the return type of the method of a pause."""
    match pause:
        case AskPerson():
            return Code(f"Question[{names.of(pause.form) if pause.form is not None else 'None'}]")
        case WaitFor():
            return Code("Delay")
        case WaitUntil():
            return Code("Until")
        case WaitEvent():
            return Code(f"Outside[{union(names.of(event.record) for event in pause.events)}]")


def answer_parameters(step: Step, names: ModuleNames) -> list[FunctionParameter]:
    """Return the parameters of `require`: the result; for several people's answers, the one just received."""
    if isinstance(step.action, AskPerson) and step.action.form is not None:
        return [FunctionParameter("result", Code("result"), names.of(step.action.form))]
    if tells_of_agent(step.action) and step.result is not None:
        return [FunctionParameter("result", Code("result"), annotation(step.result, names))]
    return result_parameters(step, names)


def send_call(send: SendEvent, function: FunctionBuilder, names: ModuleNames) -> Code:
    """Return a call that delivers an event to another run, or to all that receive it."""
    event = ValueWriter(function, names).emission(send.emit)
    if send.topic is not None:
        return call(Code("ctx.publish"), event, topic=literal(send.topic))
    named = {"to": literal(send.to)}
    if send.to_key is not None:
        function.note(send.to_key.uses)
        named["key"] = key_text(send.to_key, function)
    if send.if_absent == "start":
        named["if_absent"] = literal("start")
    elif send.if_absent is not None:
        named["if_absent"] = call(Code("Keep"), literal(send.if_absent))
    return call(Code("ctx.send"), event, **named)


def key_text(key: Expression, function: FunctionBuilder) -> Code:
    """Return what identifies a run, as the text in which keys are compared."""
    spelled = function.expression(key)
    return spelled if all(map(is_text, members(key.type))) else call(Code("str"), spelled)


def is_text(type: Type) -> bool:
    """Return whether a value of a type is a text in Python already."""
    if isinstance(type, Enumeration):
        return all(isinstance(value, str) for value in type.values)
    return type == STRING
