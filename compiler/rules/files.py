"""Problems with the files that a spec mentions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place, Severity
from wfc.compiler.rules import closest, problem, warning
from wfc.compiler.rules.fixes import correct_name, remove_entry

__all__ = [
    "choice_twice",
    "contract_not_kept",
    "ends_differ",
    "file_outside_project",
    "import_cycle",
    "knowledge_twice",
    "no_such_file",
    "not_in_the_contract",
    "part_twice",
    "unknown_workflow",
    "unused_import",
    "workflow_calls_itself",
    "workflow_name_twice",
    "wrong_kind_of_file",
]


@problem
def no_such_file(place: Place, path: str, reason: str, near: Iterable[str] = ()) -> Finding:
    """A file that the spec mentions cannot be read.

    Paths are relative to the file in which they are written: `./shared/tools.yaml` lies in the folder `shared`
    beside it. Correct the path, or put the file there.
    """
    names = list(near)
    hint = closest(path, names) or "paths are relative to this file: look for the file, or mend its path"
    fix = correct_name(place, path, names)
    return Finding("no-such-file", f"`{path}` cannot be read: {reason}", place, hint, fix=fix)


@problem
def file_outside_project(place: Place, path: str, project: str = "this project") -> Finding:
    """A path leads out of the project.

    A spec may mention files of its own project only: those below the nearest folder that holds a
    `pyproject.toml`, a `wfc.toml` or a repository; without any of these, those below its own folder. Otherwise a
    spec that somebody sends you could read what is none of its business. A pattern of files, as in `knowledge`,
    looks only into the folder of the file that it stands in and into those below. Put the file into the project.
    """
    hint = "put the file into the project, and write a path that begins with `./`"
    return Finding("file-outside-project", f"`{path}` is not in {project}", place, hint)


@problem
def wrong_kind_of_file(place: Place, path: str, wanted: str, found: str) -> Finding:
    """A file is not what is wanted at this place.

    `imports` takes files that hold declarations only: types, events, models, tools and the like, without steps.
    `parts` takes files with steps of this workflow, headed by `part`. A whole workflow is neither: it is called by
    its name, from a step of kind `workflow`.
    """
    hint = "a workflow is called by its name, from a step of kind `workflow`" if "workflow" in found else ""
    return Finding("wrong-kind-of-file", f"`{path}` is {found}, and {wanted} is wanted", place, hint)


@problem
def import_cycle(place: Place, paths: Sequence[str], back: Place) -> Finding:
    """Files import each other in a circle.

    What a file declares is read before the files that use it, so no file may need itself, not even by way of
    others. Move what both need into a file of its own, and import that from both.
    """
    way = " → ".join(f"`{path}`" for path in paths)
    return Finding(
        "import-cycle", f"this import leads back to itself: {way}", place, related=((back, "and back here"),)
    )


@warning
def unused_import(place: Place, path: str) -> Finding:
    """A file is imported, and nothing of it is used.

    It may be left over, or what was to use it is missing. Remove the line, or use what the file declares.
    """
    return Finding("unused-import", f"nothing of `{path}` is used", place, severity=Severity.WARNING)


@problem
def unknown_workflow(place: Place, name: str, known: Iterable[str], *, may_choose: bool = True) -> Finding:
    """A workflow is mentioned that no spec around declares.

    Specs refer to each other by the names under their key `workflow`, not by their files. Looked at are the specs
    that are checked together and those in the folder of this one. Write the name as it is declared, or put the
    spec there. Data may choose a workflow among some that a step lists: `workflow: {from: event.kind, only: [refund,
    exchange]}`.
    """
    names = sorted(known)
    hint = closest(name, names)
    if "${{" in name and may_choose:
        hint = "a step of kind `workflow` lets data choose by `workflow: {from: event.kind, only: [refund, exchange]}`"
    base = name.partition("@")[0]
    if "@" in name and base in names:
        hint = f"a workflow is named without a version: `{base}`"
    elif "@" in name:
        hint = "a step of kind `send` brings an event to a run; a mail is sent by a tool or a request"
    if not hint and names:
        hint = "there is " if len(names) == 1 else "there are "
        hint += ", ".join(f"`{each}`" for each in names[:8]) + (" …" if len(names) > 8 else "")
    return Finding("unknown-workflow", f"there is no workflow `{name}`", place, hint)


@problem
def choice_twice(place: Place, name: str) -> Finding:
    """A workflow is listed twice under `only`.

    `only` lists the workflows of which data chooses one. One of the two is superfluous, or was meant to be another
    workflow.
    """
    fix = remove_entry(place)
    return Finding(
        "choice-twice", f"`{name}` is among the workflows already", place, "remove one of them", fix=fix
    )


@problem
def knowledge_twice(place: Place, name: str) -> Finding:
    """A search names a collection twice.

    Each collection is searched once. One of the two is superfluous, or was meant to be another collection.
    """
    fix = remove_entry(place)
    hint = "remove one of them, or name the collection that is meant"
    return Finding("knowledge-twice", f"`{name}` is searched already", place, hint, fix=fix)


@problem
def knowledge_not_written(place: Place, name: str) -> Finding:
    """A step remembers or forgets something in a collection that runs do not write.

    What a collection of files holds is in the files. Declare a collection with `per`, which says whose entries they
    are, and no sources.
    """
    return Finding(
        "knowledge-not-written",
        f"`{name}` is made of its sources, and runs write nothing into it",
        place,
        "name a collection that has `per`, such as `per: inputs.user_id`, and no sources",
    )


@problem
def written_with_sources(place: Place, name: str, key: str) -> Finding:
    """A collection that runs write has a key of one that is made of files.

    With `per` a collection holds what steps of kind `remember` put there, entry by entry: there are no sources, and
    nothing is cut. Declare two collections; one search may name both.
    """
    return Finding(
        "written-with-sources",
        f"`{name}` is written by runs, as `per` says, and has no `{key}`",
        place,
        f"take out `{key}`, or declare two collections; one search may name both",
        fix=remove_entry(place),
    )


@problem
def ends_differ(place: Place, event: str, first: str, second: str) -> Finding:
    """Two workflows of which data chooses one have an end event of the same name with different fields.

    `result is Done` asks by which event the chosen workflow has ended. If two of them have a `Done`, these must have
    the same fields, because it would not be known which of the two it is. Give one of the events another name in its
    workflow, or the same fields; or call each workflow from a step of its own.
    """
    return Finding(
        "ends-differ",
        f"both `{first}` and `{second}` end with `{event}`, and its fields are not the same",
        place,
        f"give `{event}` another name in one of them, or the same fields",
    )


@problem
def workflow_calls_itself(place: Place, names: Sequence[str]) -> Finding:
    """A workflow waits for a run of itself, perhaps by way of others.

    Each run would start another and wait for it, and nothing bounds how deep this goes. Go round in a loop inside
    the workflow, with `max_runs`; or let the run begin anew with `restart`; or leave the other run to itself with
    `detach: true`.
    """
    way = " → ".join(f"`{name}`" for name in names)
    return Finding("workflow-calls-itself", f"this call leads back to the workflow itself: {way}", place)


@problem
def workflow_name_twice(place: Place, name: str, first: Place) -> Finding:
    """Two specs have the same name.

    Workflows are called, and sent events, by their names, and their modules are named after them, so two specs that
    are used together need two names. Rename one of them.
    """
    return Finding(
        "workflow-name-twice",
        f"another spec is called `{name}` too",
        place,
        related=((first, "the first one"),),
    )


@problem
def part_twice(place: Place, path: str) -> Finding:
    """A part is listed twice.

    Its steps belong to the workflow once. Remove the second line.
    """
    return Finding("part-twice", f"`{path}` is listed already", place)


@problem
def not_in_the_contract(place: Place, part: str, event: str, key: str) -> Finding:
    """An event crosses the border of a part, and the part's head does not say so.

    A part is written by one team and used by others. Its head lists under `accepts` the events that come into it
    from the rest of the workflow, and under `emits` those that go out, so that both sides know what they can rely
    on. List the event there, or keep it inside the part.
    """
    way = "comes into" if key == "accepts" else "leaves"
    return Finding(
        "not-in-the-contract",
        f"`{event}` {way} part `{part}`, which does not list it under `{key}`",
        place,
        f"add `{event}` to the part's `{key}`",
    )


@problem
def contract_not_kept(place: Place, part: str, event: str, key: str) -> Finding:
    """A part says that an event comes into it or leaves it, and no step of the part does that.

    The head of a part is its promise to the rest of the workflow. Remove the event from the list, or add the step
    that accepts or emits it.
    """
    verb = "accepts" if key == "accepts" else "emits"
    return Finding("contract-not-kept", f"no step of part `{part}` {verb} `{event}`", place)
