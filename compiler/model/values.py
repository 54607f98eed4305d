"""Values of a spec: data, texts, expressions, and names of secrets."""

from __future__ import annotations

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import Type


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of a secret. Its value never reaches the compiler."""

    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """A structured value with expressions in it: what `with`, `body` and `query` hold.

    Exactly one of the parts is used: ``expression`` (one whole ``${{ }}``, or a reference that filling made),
    ``template`` (a text with expressions inside), ``secret`` (in what a request carries), ``items``, ``entries``, or
    else the plain ``constant`` (JSON data that fits ``type``). ``type`` is what is wanted here; ``expression.type``
    what is given.
    """

    type: Type
    address: Address
    expression: Expression | None = None
    template: Template | None = None
    secret: Secret | None = None
    items: tuple[Value, ...] | None = None
    entries: tuple[tuple[str, Value], ...] | None = None
    constant: object = field(default=None, hash=False)


__all__ = ["Secret", "Value"]
