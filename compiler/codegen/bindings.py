"""Models, retry policies, tools and prompts → constants and functions of the module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wfc.compiler.codegen import described_tools
from wfc.compiler.codegen.call_limits import NO_LIMIT, call_limit, limits
from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.layout.expressions import INDENT, WIDTH
from wfc.compiler.codegen.layout.statements import fit
from wfc.compiler.codegen.literals.constants import call, constant
from wfc.compiler.codegen.literals.functions import FunctionBuilder, FunctionParameter, Path
from wfc.compiler.codegen.literals.values import ValueWriter
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.requests import address, authentication, headers, secret
from wfc.compiler.codegen.shapes import PartClass, PythonFunction
from wfc.compiler.expressions import Expression, Template, generate_body, generate_text
from wfc.compiler.expressions.python.annotations import annotation, is_class
from wfc.compiler.model import (
    CommandLine,
    HttpRequest,
    Knowledge,
    Model,
    Resource,
    Retry,
    Secret,
    Step,
    Tool,
    Workflow,
)
from wfc.compiler.python.literals import (
    Code,
    constant_name,
    field_name,
    literal,
    local_name,
    snake_case,
)
from wfc.compiler.types import ANY, STRING, Record, Type

__all__ = ["Bindings", "context_type", "retry_arguments"]


def retry_arguments(policy: Retry) -> dict[str, Any]:
    """Return the arguments of a `RetryPolicy`; those that are expressions are not printed there."""
    return {
        "max_attempts": policy.max_attempts,
        "delay": policy.delay,
        "backoff": policy.backoff,
        "max_delay": policy.max_delay,
        "jitter": policy.jitter or None,
        "total_timeout": policy.within,
        "retry_on": policy.retry_on or None,
        "never_on": policy.never_on or None,
    }


class Bindings:
    """The bindings that the steps of a workflow call, each printed once and only if a step uses it."""

    def __init__(self, workflow: Workflow, names: ModuleNames, folder_of: Callable[[str], str]) -> None:
        self.workflow = workflow
        self.names = names
        self.folder_of = folder_of
        self.constants: list[list[str]] = []
        self.functions: list[PythonFunction] = []
        self.parts: list[PartClass] = []
        self.outputs: dict[Code, Code] = {}
        self.bodies: dict[Code, Code] = {}
        self.tools: dict[tuple[int, Code], Code] = {}
        self.words: dict[Code, dict[str, Code]] = {}
        self.schemas: dict[int, Code] = {}
        self.configured: set[Code] = set()

    # --- collections of texts
    def collection(self, knowledge: Knowledge, function: FunctionBuilder) -> Code:
        """Return how a function refers to a collection: its constant, or a call that passes the config."""
        name = self.declared_collection(knowledge)
        if not (isinstance(knowledge.model, Model) and _needs_config(knowledge.model)):
            return name
        function.note([("config",)])
        return Code(f"{name}(config)")

    def declared_collection(self, knowledge: Knowledge) -> Code:
        """Return a collection's constant or function, printed after its model."""
        if id(knowledge) in self.names.bindings:
            return self.names.bindings[id(knowledge)]
        inner = FunctionBuilder(
            self.names.scope, (FunctionParameter("config", Code("config"), self.names.config),)
        )
        named = self.sources(knowledge) if knowledge.per is None else self.kept(knowledge)
        named |= {"by": literal(knowledge.by)} if knowledge.by is not None else {}
        if knowledge.per is None:
            named |= {"size": literal(knowledge.size), "overlap": literal(knowledge.overlap)}
        named |= {"parent": literal(knowledge.parent)} if knowledge.parent else {}
        if knowledge.index != "keyword":
            named["index"] = literal(knowledge.index)
        if isinstance(knowledge.model, Model):
            named["model"] = self.model(knowledge.model, inner)
        elif knowledge.model is not None:
            output = Code("list[list[str]]" if knowledge.index == "keyword_table" else "list[list[float]]")
            named["model"] = self.function_of_texts(knowledge.model, knowledge.file, output)
        named |= {"max_calls": literal(knowledge.max_calls)} if knowledge.max_calls else {}
        if knowledge.about.fields:
            fields = knowledge.about.fields.items()
            pairs = (
                f"{literal(field_name(each))}: {annotation(one.type, self.names)}" for each, one in fields
            )
            named["about"] = Code(f"{{{', '.join(pairs)}}}")
        value = call(Code("Knowledge"), literal(knowledge.name), **named)
        if not inner.taken:
            name = self.names.constant(knowledge, "KNOWLEDGE")
            self.constants.append(fit(f"{name} = {value}"))
            return name
        name = self.names.function(knowledge, "knowledge")
        self.functions.append(
            PythonFunction(name, inner.parameters, Code("Knowledge"), fit(f"return {value}", INDENT))
        )
        return name

    def sources(self, knowledge: Knowledge) -> dict[str, Code]:
        """Return the arguments that say what a collection is made of."""
        named = {"files": literal(list(knowledge.files))} if knowledge.files else {}
        named |= {"urls": literal(list(knowledge.urls))} if knowledge.urls else {}
        if knowledge.sql:
            pairs = (
                f"({secret(where) if isinstance(where, Secret) else literal(where)}, {literal(query)})"
                for where, query in knowledge.sql
            )
            named["sql"] = Code(f"[{', '.join(pairs)}]")
        named |= {"loader": literal(knowledge.loader)} if knowledge.loader else {}
        named |= {"python": literal(knowledge.python)} if knowledge.python else {}
        return {**named, "beside": self.beside(knowledge.file)}

    def kept(self, knowledge: Knowledge) -> dict[str, Code]:
        """Return the arguments that say where what runs write is kept, and how much of it."""
        named = {"kept_as": literal(f"{self.workflow.name}.{knowledge.name}")}
        for key in ("entries", "seconds"):
            if (value := getattr(knowledge, key)) is not None:
                named[key] = literal(value)
        return named

    def function_of_texts(self, place: str, file: str, output: Code) -> Code:
        """Return a Python function that embeds or judges texts."""
        return call(Code("PythonTool"), literal(place), output=output, beside=self.beside(file))

    def judge(self, place: str, file: str, name: str) -> Code:
        """Return the constant of a function that says how well texts fit."""
        constant_ = self.names.scope.give(constant_name(f"{name}_rerank"))
        value = self.function_of_texts(place, file, Code("list[float]"))
        self.constants.append(fit(f"{constant_}: PythonTool[list[float]] = {value}"))
        return constant_

    # --- retries
    def retry(self, policy: Retry) -> Code:
        """Return the constant of a retry policy."""
        known = id(policy) in self.names.bindings
        name = self.names.constant(policy, "RETRY")
        if not known:
            arguments = retry_arguments(policy)
            given = {
                key: literal(value)
                for key, value in arguments.items()
                if value is not None
                and not isinstance(value, Expression)  # which a run works out at its start
            }
            self.constants.append(fit(f"{name} = {call(Code('RetryPolicy'), **given)}"))
        return name

    # --- models
    def model(self, model: Model, function: FunctionBuilder) -> Code:
        """Return how a function refers to a model: its constant, or a call that passes the config."""
        name = self.declared(model)
        if not _needs_config(model):
            return name
        function.note([("config",)])
        return Code(f"{name}(config)")

    def declared(self, model: Model) -> Code:
        """Return a model's constant or function, printed after its fallbacks."""
        known = id(model) in self.names.bindings
        if known:
            return self.names.bindings[id(model)]
        inner = FunctionBuilder(
            self.names.scope, (FunctionParameter("config", Code("config"), self.names.config),)
        )
        fallback = [self.model(other, inner) for other in model.fallback]
        arguments = {"base_url": inner.template(model.base_url)} if model.base_url is not None else {}
        if model.api_key is not None:
            arguments["api_key"] = secret(model.api_key)
        arguments |= {key: literal(value) for key, value in model.settings.items()}
        arguments |= limits(model.limit)
        if fallback:
            arguments["fallback"] = Code(f"[{', '.join(fallback)}]")
        value = call(Code("Model"), literal(model.use), **arguments)
        if not _needs_config(model):
            name = self.names.constant(model, "MODEL")
            self.constants.append(fit(f"{name} = {value}"))
            return name
        name = self.names.function(model, "model")
        body = fit(f"return {value}", INDENT)
        self.functions.append(PythonFunction(name, inner.parameters, Code("Model"), body))
        return name

    # --- tools
    def python_tool(self, tool: Tool, output: Type, step: Step) -> Code:
        """Return the constant of a Python tool; a step that declares another output gets a separate one."""
        assert tool.python is not None
        type_ = annotation(output, self.names)
        key = (id(tool), type_)
        if key in self.tools:
            return self.tools[key]
        if id(tool) in self.names.bindings:
            name = self.names.scope.give(f"{step.name}_{tool.identifier}".upper())
        else:
            name = self.names.constant(tool, "TOOL")
        arguments = {"output": type_, "beside": self.beside(tool.file)}
        if tool.secrets:
            pairs = ", ".join(f"{literal(word)}: {secret(each)}" for word, each in tool.secrets)
            arguments["secrets"] = Code(f"{{{pairs}}}")
        given = {field.name_outside for field in tool.args.fields.values()}
        wanted = [each for each in self.workflow.resources if each.name not in given]
        if wanted:
            pairs = ", ".join(f"{literal(each.name)}: {self.resource(each)}" for each in wanted)
            arguments["resources"] = Code(f"{{{pairs}}}")
        arguments |= limits(tool.limit)
        value = call(Code("PythonTool"), literal(tool.python), **arguments)
        self.constants.append(fit(f"{name}: PythonTool[{type_}] = {value}"))
        self.tools[key] = name
        return name

    def beside(self, file: str) -> Code:
        """Return where the modules of a file's tools are: in its folder, relative to the generated module."""
        folder = self.folder_of(file)
        return Code("__file__" if folder == "." else f"Path(__file__).parent / {literal(folder)}")

    def resource(self, resource: Resource) -> Code:
        """Return the constant of a resource, which precedes the tools that ask for it."""
        known = id(resource) in self.names.bindings
        name = self.names.constant(resource, "RESOURCE")
        if not known:
            named = {"beside": self.beside(resource.file), "per": literal(resource.per)}
            value = call(Code("PythonResource"), literal(resource.python), **named)
            self.constants.append(fit(f"{name} = {value}"))
        return name

    def http_tool(self, tool: Tool, output: Type, caller: FunctionBuilder) -> Code:
        """Return the function of an http tool or a command; it takes the tool's arguments by name."""
        key = (id(tool), annotation(output, self.names))
        if key not in self.tools:
            name = self.name_beside(caller, tool.identifier, f"{tool.identifier}_tool")
            self.tools[key] = name
            self.functions.append(self.http_function(name, tool, output))
        return self.tools[key]

    def http_function(self, name: Code, tool: Tool, output: Type) -> PythonFunction:
        inner = self.names.scope.inner(["ctx", "config"])
        self.words[name] = words = {each: inner.give(local_name(each)) for each in tool.args.fields}
        known: dict[Path, Code] = {("args", each): word for each, word in words.items()}
        config = FunctionParameter("config", Code("config"), self.names.config)
        function = FunctionBuilder(inner, (config,), known=known)
        limit = self.limit(tool)
        if tool.command is not None:
            action = self.command(tool.command, function, output, tool.name, limit)
        elif tool.mcp is not None:
            action = described_tools.mcp_call(self, tool, tool.mcp, words, function, output, limit)
        elif tool.openapi is not None:
            action = described_tools.openapi_call(self, tool, tool.openapi, words, function, output, limit)
        else:
            assert tool.request is not None
            action = self.request(tool.request, function, output, tool.name, limit)
        if function.used:
            self.configured.add(name)
        head = [Code(f"ctx: {context_type(self.workflow)}"), *function.parameters]
        for field in sorted(tool.args.fields.values(), key=lambda field: not field.required):
            spelled = f"{words[field.name]}: {annotation(field.type, self.names)}"
            if not field.required:
                spelled += f" = {constant(field.default, field.type, self.names)}"
            head.append(Code(spelled))
        body = fit(f"return await {action}", INDENT)
        doc = docstring(tool.description, INDENT)
        return PythonFunction(name, head, annotation(output, self.names), body, doc, is_async=True)

    def limit(self, tool: Tool) -> dict[str, Code]:
        """Return the argument that says how often a tool may be called that is no Python function."""
        if tool.limit is None:
            return {}
        name = self.names.scope.give(constant_name(f"{tool.identifier}_limit"))
        self.constants.append(fit(f"{name} = {call_limit(tool)}"))
        return {"limit": name}

    def name_beside(self, caller: FunctionBuilder, *wanted: str) -> Code:
        """Return a name for a function of the module that nothing hides where it is called."""
        free = [name for name in wanted if name not in caller.names] or [f"{wanted[-1]}_"]
        while free[-1] in caller.names:
            free.append(f"{free.pop()}_")
        return self.names.scope.give(*free)

    # --- requests
    def request(
        self,
        wanted: HttpRequest,
        function: FunctionBuilder,
        output: Type,
        name: str,
        limit: Mapping[str, Code] = NO_LIMIT,
    ) -> Code:
        """Return a call of ``ctx.http``."""
        values = ValueWriter(function, self.names)
        url, named = address(wanted.url, function)
        if wanted.query:
            named["query"] = values.pairs(wanted.query)
        if wanted.headers:
            named["headers"] = headers(wanted.headers, function)
        if wanted.auth is not None:
            named["auth"] = authentication(wanted.auth, function, values)
        if wanted.body is not None:
            named["body"] = values.value(wanted.body)
        named |= self.output(output, name)
        return call(Code("ctx.http"), literal(wanted.method), url, **named, **limit)

    # --- commands
    def command(
        self,
        wanted: CommandLine,
        function: FunctionBuilder,
        output: Type,
        name: str,
        limit: Mapping[str, Code] = NO_LIMIT,
    ) -> Code:
        """Return a call of ``ctx.command``."""
        words = [literal(wanted.program)]
        for each in wanted.arguments:
            text = function.template(each.text)
            words.append(call(Code("filters.argument"), text) if each.guarded else text)
        named: dict[str, Code] = {}
        if wanted.stdin is not None:
            named["stdin"] = function.template(wanted.stdin)
        if wanted.env:
            named["env"] = headers(wanted.env, function)
        if output == ANY:
            named["output"] = Code("Any")
        elif output != STRING:
            named |= self.output(output, name)
        return call(Code("ctx.command"), Code(f"[{', '.join(words)}]"), **named, **limit)

    # --- what others describe
    def schema(self, tool: Tool) -> Code:
        """Return the constant with the schema that others have for a tool's arguments."""
        if id(tool) not in self.schemas:
            name = self.names.scope.give(constant_name(f"{tool.identifier}_schema"))
            self.schemas[id(tool)] = name
            self.constants.append(fit(f"{name} = {call(Code('ForeignSchema'), literal(tool.schema))}"))
        return self.schemas[id(tool)]

    # --- outputs and texts
    def output(self, type_: Type, name: str) -> dict[str, Code]:
        """Return the argument that declares the type of a result; none for `any`."""
        if type_ == ANY:
            return {}
        spelled = annotation(type_, self.names)
        if is_class(type_):
            return {"output": spelled}
        if spelled not in self.outputs:
            constant_ = self.outputs[spelled] = self.names.scope.give(constant_name(f"{name}_output"))
            self.constants.append(fit(f"{constant_}: Output[{spelled}] = Output({spelled})"))
        return {"output": self.outputs[spelled]}

    def body(self, type_: Type) -> Code:
        """Return the constant that reads the body of a reply as a type."""
        spelled = annotation(type_, self.names)
        if spelled not in self.bodies:
            name = (
                f"{snake_case(spelled).removesuffix('_reply')}_reply"
                if isinstance(type_, Record)
                else "reply"
            )
            constant_ = self.bodies[spelled] = self.names.scope.give(constant_name(name))
            self.constants.append(fit(f"{constant_}: Output[{spelled}] = Output({spelled})"))
        return self.bodies[spelled]

    def text(self, template: Template, name: str, function: FunctionBuilder) -> Code:
        """Return a prompt: in place if it is short, else a constant, or a function of the values that it
        mentions.
        """
        text = template.constant
        if text is not None and (len(text) > WIDTH // 2 or "\n" in text):
            constant_ = self.names.scope.give(constant_name(name))
            self.constants.append(fit(f"{constant_} = {generate_text(template, {})}"))
            return constant_
        if not template.statements and "\n" not in template.text and len(template.text) <= WIDTH // 2:
            return function.template(template)
        return self.prompt(template, name, function)

    def prompt(self, template: Template, name: str, function: FunctionBuilder) -> Code:
        """Return a call of the function that builds a prompt."""
        inner = FunctionBuilder(
            self.names.scope, tuple(each for each in function.at_hand), dict(function.known)
        )
        inner.note(template.uses)
        body = [
            line for each in (*inner.lead, *generate_body(template, inner.known)) for line in fit_nested(each)
        ]
        function.note(template.uses)
        given = self.name_beside(function, name)
        self.functions.append(PythonFunction(given, inner.parameters, Code("str"), body))
        return call(given, *(parameter.name for parameter in inner.taken))


def fit_nested(statement: str) -> list[str]:
    """Return the lines of a statement that is indented within its function."""
    inside = statement.lstrip(" ")
    margin = len(statement) - len(inside)
    return [" " * margin + line for line in fit(inside, INDENT + margin)]


def context_type(workflow: Workflow) -> Code:
    """Return the type of ``ctx``."""
    return Code("Context[State]" if workflow.state.fields else "Context")


def _needs_config(model: Model) -> bool:
    return bool(model.base_url is not None and model.base_url.uses) or any(map(_needs_config, model.fallback))
