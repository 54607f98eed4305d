"""Problems with tools that others describe: operations of services, and tools of MCP servers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name

__all__ = [
    "broken_lock_file",
    "no_description",
    "no_such_operation",
    "operation_not_named",
    "operation_not_supported",
    "pinned_elsewhere",
    "server_not_pinned",
    "service_without_address",
    "too_many_operations",
]

MOST_SHOWN = 5


def listed(names: Sequence[str]) -> str:
    """Return the first names of many as a text."""
    more = f" and {len(names) - MOST_SHOWN} others" if len(names) > MOST_SHOWN else ""
    return ", ".join(f"`{each}`" for each in names[:MOST_SHOWN]) + more


@problem
def no_description(place: Place, path: str, *, is_old: bool = False, is_empty: bool = False) -> Finding:
    """A file under `openapi` is no OpenAPI description, or one without operations.

    The file is a description of a service in OpenAPI 3, in JSON or YAML: it begins with `openapi: 3.…` and lists the
    operations under `paths`. Services often offer it at an address such as `/openapi.json`; save it beside the spec,
    so that its changes are reviewed. Descriptions in Swagger 2 have to be converted first.
    """
    if is_empty:
        hint = "operations stand under `paths`: an address, and below it methods such as `get`"
        return Finding("no-description", f"`{path}` describes no operation", place, hint)
    hint = "convert it to OpenAPI 3 first" if is_old else "it begins with `openapi: 3.…`, in JSON or YAML"
    said = "is a description in Swagger 2" if is_old else "is no OpenAPI description"
    return Finding("no-description", f"`{path}` {said}", place, hint)


@problem
def no_such_operation(place: Place, name: str, known: Iterable[str], where: str) -> Finding:
    """`only` names an operation that the service or the server does not have.

    Under `only` stand the operations that are used, as the service calls them: the `operationId` of an OpenAPI
    description, the names of the tools of an MCP server as they were pinned. `wfc tools list` shows them.
    """
    names = sorted(known)
    return Finding(
        "no-such-operation",
        f"{where} has no operation `{name}`",
        place,
        closest(name, names) or (f"it has {listed(names)}" if names else ""),
        fix=correct_name(place, name, names),
    )


@problem
def operation_not_supported(place: Place, name: str, why: str, only: bool) -> Finding:
    """An operation of a service cannot be called as it is described.

    Operations are called with parameters in their path, query and headers, and with a body in JSON. What is sent in
    other forms (files, forms, cookies, lists and records in a path) is no tool; write such a request by hand, as a tool
    with `http`, or name under `only` the operations that you use.
    """
    hint = (
        "take it out, and write the request as a tool with `http`"
        if only
        else "name those that you use under `only`"
    )
    return Finding("operation-not-supported", f"`{name}` cannot be called: {why}", place, hint)


@problem
def operation_not_named(place: Place, tool: str, names: Sequence[str]) -> Finding:
    """A whole service or server stands where one of its operations is wanted.

    A step calls one operation: `tool: desk.getTicket`. In the `tools` of an agent the name alone means all operations
    under `only`; with `with` or `final`, which are about one of them, that one is named.
    """
    hint = f"name one of them: {listed([f'{tool}.{each}' for each in names])}" if names else ""
    return Finding("operation-not-named", f"`{tool}` stands for {len(names)} operations", place, hint)


@problem
def service_without_address(place: Place, described: str) -> Finding:
    """An OpenAPI description does not say where its service is.

    Requests go to `base_url`, or else to the first address under `servers` of the description, if that is a whole
    address without variables: `https://desk.example/api`. Say `base_url`; it may come from `config`.
    """
    said = f"`{described}` is no address that requests can be sent to" if described else "it names no server"
    return Finding("service-without-address", f"the description does not say where the service is: {said}", place,
                   "write `base_url`, such as `base_url: https://desk.example/api`")  # fmt: skip


@problem
def too_many_operations(place: Place, count: int, most: int) -> Finding:
    """A service or a server has more operations than become tools by themselves.

    Each operation becomes code, and an agent's model is told all of them at each turn. Name those that are used under
    `only`.
    """
    return Finding(
        "too-many-operations",
        f"these are {count} operations, and at most {most} become tools by themselves",
        place,
        "name those that are used under `only`",
    )


@problem
def server_not_pinned(place: Place, name: str, path: str) -> Finding:
    """Nothing is known of the tools of an MCP server.

    What a server offers is asked once, by `wfc tools pin`, and kept in a file beside the spec, so that checks start no
    programs, and changes of a server's tools are seen in review: their descriptions are prompts that a stranger writes.
    For one tool of a server its `args` and `output` may be declared instead.
    """
    return Finding(
        "server-not-pinned",
        f"it is not known which tools the server `{name}` has",
        place,
        f"`wfc tools pin {path}` asks it, and keeps the answer beside the spec",
    )


@problem
def pinned_elsewhere(place: Place, name: str, path: str, lock: str) -> Finding:
    """A server is another one than that whose tools were pinned.

    The file with the pinned tools says of which program, with which arguments, or of which address they are. That has
    changed in the spec since. Pin them anew, and look at what is different.
    """
    return Finding(
        "pinned-elsewhere",
        f"the tools of `{name}` in `{lock}` are those of another program or address",
        place,
        f"`wfc tools pin {path}` asks the new one",
    )


@problem
def broken_lock_file(place: Place, lock: str, why: str, path: str) -> Finding:
    """A file with pinned tools is not as `wfc tools pin` has written it.

    It is written by that command alone. A change by hand would have models read, and arguments be held against, what no
    server has said.
    """
    return Finding("broken-lock-file", f"`{lock}` {why}", place, f"`wfc tools pin {path}` writes it anew")
