"""Problems with the names that fields have in data outside the spec."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import remove_entry

__all__ = ["as_not_here", "bad_outside_name", "same_name_in_data"]


@problem
def same_name_in_data(place: Place, name: str, first: Place) -> Finding:
    """A field has the name of another one in the data that goes out and comes in.

    `as` says how a field is called outside: in requests and their answers, in what models write, in what tools are
    given, in the inputs and results of a run. If two fields of a record had one name there, or one had the name that
    another has in the spec, nobody could tell which of them a value belongs to. Correct the name under `as`, or give
    the other field another name.
    """
    return Finding(
        "same-name-in-data",
        f"in data, another field of this record is called `{name}` too",
        place,
        "correct the name, or give the other field one of its own",
        related=((first, "the other one"),),
    )


@problem
def bad_outside_name(place: Place, longest: int) -> Finding:
    """What stands under `as` cannot be the name of a field in data.

    `as` holds the name that a field has outside the spec, such as `"_id"` or `"@type"`. It may consist of any
    signs that can be seen, but it may not be empty or endless. Write it as the other side writes it.
    """
    return Finding(
        "bad-outside-name",
        f"a name in data has 1 to {longest} characters, all of which can be seen",
        place,
        'write it as the other side does, such as `as: "_id"`',
    )


@problem
def as_not_here(place: Place, what: str) -> Finding:
    """`as` stands where nothing has a name in data outside.

    `as` gives a field of a record, an event, an `output`, `args` or a `form` another name in the data that goes out
    or comes in. What the run remembers under `state` stays in the run, and `config` is read from variables of the
    environment that follow from its names. A type that is no field has no name at all: an `output` as a whole, an
    alternative of `one_of`, an entry of `types`. Remove it, or write it at the field that is meant.
    """
    return Finding(
        "as-not-here",
        f"`as` names a field in data outside, and {what}",
        place,
        "remove it, or write it at the field of a record",
        fix=remove_entry(place),
    )
