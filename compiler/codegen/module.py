"""A whole module: its parts put in order, printed by the templates, and read back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from wfc.compiler.codegen import OUTPUT_FORMAT
from wfc.compiler.codegen.bindings import NO_CODE, Bindings, PythonFunction
from wfc.compiler.codegen.classes import Class, Literals, classes
from wfc.compiler.codegen.constants import call
from wfc.compiler.codegen.layout import INDENT, comment, docstring, fit, imports
from wfc.compiler.codegen.messages import receives, run_key
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.runs import run_methods, run_words
from wfc.compiler.codegen.steps import Methods
from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.model import Step, Workflow
from wfc.compiler.python.literals import Code, literal
from wfc.compiler.slotted import dataclass

__all__ = ["print_module", "print_shared"]

_FROM: Final = {
    "collections.abc": ("Iterator",),
    "datetime": ("UTC", "date", "datetime", "timedelta"),
    "decimal": ("Decimal",),
    "pathlib": ("Path",),
    "pydantic": ("Field",),
    "typing": ("Annotated", "Any", "Literal"),
    "wfc.runtime.records": ("File", "Message", "Passage"),
    "wfc.runtime": tuple(
        """
        All AllOf AtLeast Basic Batch Bearer Cache Child ChildEnd Context Delay Duration EachOf Event Fail FirstOf
        Format HttpResponse Inputs Item Items Keep Limits Model Moment Number Output Outside
        PythonResource PythonTool Question Receives Record Restart RetryPolicy RunConfig RunInfo RunState SKIP
        Secret Skip StartEvent StepError StopEvent UNHANDLED Unhandled Until Workflow filters pause
        require_output_format run_cancel run_deadline run_error run_key runs_per step transform
        """.split()
    ),
}
IMPORTABLE: Final = {name: module for module, names in _FROM.items() for name in names}
"""Everything that generated code may import, and where from."""

NOTHING: Final[Mapping[Code, tuple[str, Code]]] = {}


@dataclass(frozen=True, slots=True)
class Module:
    """What the templates print."""

    docstring: Code
    source: Code
    sha256: Code
    output_format: int
    file: str
    classes: Sequence[Class | Literals]
    constants: Sequence[Sequence[str]]
    functions: Sequence[PythonFunction]
    name: Code
    bases: Code
    description: Code
    methods: Sequence[PythonFunction]
    imports: Code = NO_CODE
    body: Code = NO_CODE


def print_module(
    workflow: Workflow,
    *,
    source: str,
    sha256: str,
    lines: Callable[[Address], int],
    folder_of: Callable[[str], str],
    in_package: bool,
) -> str:
    """The module's text; see :func:`wfc.compiler.codegen.generate`."""
    names = ModuleNames(workflow)
    module = assembled(workflow, names, source, sha256, lines, folder_of)
    return printed_text(module, names, in_package=in_package)


def print_shared(shared: Workflow, *, source: str, sha256: str, in_package: bool) -> str:
    """The text of the module of a file of declarations, whose types and events ``shared`` has as its own."""
    names = ModuleNames(shared)
    file = PurePosixPath(source).name
    module = Module(
        docstring=docstring(shared.description or f"What {file} declares.", 0),
        source=comment(source),
        sha256=comment(sha256),
        output_format=OUTPUT_FORMAT,
        file=file,
        classes=classes(shared, names),
        constants=(),
        functions=(),
        name=NO_CODE,
        bases=NO_CODE,
        description=NO_CODE,
        methods=(),
    )
    return printed_text(module, names, in_package=in_package)


def printed_text(module: Module, names: ModuleNames, *, in_package: bool) -> str:
    from wfc.compiler.slotted import replace

    body = Code(rendered("body.py.j2", module).rstrip("\n"))
    mentioned = imported(ast.parse(body), names.imported, "." if in_package else "")
    text = rendered("module.py.j2", replace(module, body=body, imports=Code("\n".join(imports(mentioned)))))
    ast.parse(text)  # whatever a spec says, what comes out is Python
    return text.rstrip("\n") + "\n"


def assembled(
    workflow: Workflow,
    names: ModuleNames,
    source: str,
    sha256: str,
    lines: Callable[[Address], int],
    folder_of: Callable[[str], str],
) -> Module:
    bindings = Bindings(workflow, names, folder_of)
    methods = Methods(workflow, names, bindings)
    file = PurePosixPath(source).name
    printed = [
        method
        for step in workflow.steps
        for method in methods.of(step, comment(f"{file_of(step, file)}:{lines(step.address)}"))
    ]
    if workflow.key is not None:
        printed.append(run_key(workflow, workflow.key, names))
    printed += run_methods(workflow, names)
    summary = workflow.description.strip().split("\n\n")[0] or f"The workflow {workflow.name}."
    return Module(
        docstring=docstring(summary, 0),
        source=comment(source),
        sha256=comment(sha256),
        output_format=OUTPUT_FORMAT,
        file=file,
        classes=classes(workflow, names),
        constants=bindings.constants,
        functions=bindings.functions,
        name=names.workflow,
        bases=_bases(workflow, names, file),
        description=docstring(workflow.description, INDENT),
        methods=printed,
    )


def _bases(workflow: Workflow, names: ModuleNames, file: str) -> Code:
    named = {"name": literal(workflow.name)}
    if workflow.config.fields:
        named["config"] = Code("Config")
    if workflow.deadline is not None:
        named["deadline"] = literal(workflow.deadline)
    if workflow.receives:
        named["receives"] = receives(workflow, names)
    if workflow.key is not None and workflow.key.when_running is not None:
        named["when_running"] = literal(workflow.key.when_running)
    named |= run_words(workflow)
    spelled = call(Code("Workflow"), Code("Workflow"), **named, source=literal(file))
    return Code(spelled.removeprefix("Workflow(").removesuffix(")"))


def file_of(step: Step, file: str) -> str:
    """The name of the file that a step is written in: the spec's, or that of a part."""
    origin = Place(step.address).origin
    return file if origin is None else PurePosixPath(origin).name


def imported(
    tree: ast.Module, shared: Mapping[Code, tuple[str, Code]] = NOTHING, sibling: str = ""
) -> Iterator[tuple[str, str]]:
    """Module and name of everything importable that a module mentions.

    Args:
        shared: What comes from the modules of imported files; see ``ModuleNames``.
        sibling: What comes before the name of such a module.
    """
    mentioned = {"require_output_format"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            mentioned.add(node.id)
        elif isinstance(node, (ast.AnnAssign, ast.arg)) and node.annotation is not None:
            mentioned.update(quoted_names(node.annotation))
    own = {node.name for node in tree.body if isinstance(node, ast.ClassDef)} | shared.keys()
    yield from ((IMPORTABLE[name], name) for name in sorted((mentioned - own) & IMPORTABLE.keys()))
    for name, (module, there) in shared.items():
        if name in mentioned:
            yield sibling + module, name if name == there else f"{there} as {name}"


def quoted_names(annotation: ast.expr) -> Iterator[str]:
    """Names in the parts of an annotation that are quoted, because their classes come later."""
    match annotation:
        case ast.Constant(value=str(text)):
            for node in ast.walk(ast.parse(text, mode="eval")):
                if isinstance(node, ast.Name):
                    yield node.id
        case ast.BinOp():
            yield from quoted_names(annotation.left)
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[first, *_])):
            yield from quoted_names(first)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Prints every value in a template as a Python literal, unless it is code."""
    made = Environment(
        loader=PackageLoader("wfc.compiler.codegen"),
        finalize=lambda value: value if isinstance(value, Code) else literal(value),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  Python is printed, not HTML
    )
    made.filters["at"] = at
    made.globals["fit"] = fitted
    return made


def rendered(template: str, module: Module) -> str:
    return environment().get_template(template).render(module=module)


def at(lines: Sequence[str], margin: int) -> Code:
    """Lines of code with a margin; an empty one gets none, nor does what a string in quotes goes on with."""
    return Code("\n".join(" " * margin + line if line else line for line in lines))


def fitted(margin: int, caller: Callable[[], str]) -> Code:
    """A statement that a template writes, broken into lines if it is too long."""
    return at(fit(caller(), margin), margin)
