"""Problems with lists that are made of others: `[value for name in list if condition]`."""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import replace_text, replace_value

__all__ = [
    "condition_with_else",
    "loop_alone",
    "loop_in_loop",
    "loop_read_as_list",
    "loop_without_brackets",
    "map_by_loop",
    "map_without_action",
    "result_in_keep",
]


@problem
def loop_without_brackets(place: Place) -> Finding:
    """A list that is made of another one does not stand in square brackets.

    `[x.name for x in event.items]` is a list with the name of each item. The square brackets belong to it, also where
    it is all that a filter is used on: `[x.total for x in event.orders] | sum`.
    """
    return Finding(
        "loop-without-brackets",
        "`for` makes a list only in square brackets",
        place,
        "write `[… for … in …]`",
    )


@problem
def loop_in_loop(place: Place) -> Finding:
    """A list is to be made by two loops, one in the other.

    There is one `for` in a pair of brackets. What the inner loop gives is a list of its own, and `flatten` makes one
    list of all of them: `[[line.name for line in order.lines] for order in event.orders] | flatten`.
    """
    return Finding(
        "loop-in-loop",
        "there is one `for` in a pair of brackets",
        place,
        "put the inner loop in brackets of its own, as the value, and add `| flatten`",
    )


@problem
def condition_with_else(place: Place) -> Finding:
    """The condition of a loop has an `else`.

    The `if` after the list says which items count, and there is nothing else for the others. To choose between two
    values write the choice at the front: `["paid" if x.paid else "open" for x in event.orders]`.
    """
    return Finding(
        "condition-with-else",
        "the condition of a loop has no `else`",
        place,
        "to choose between two values, put the `if` and the `else` before `for`",
    )


@problem
def loop_alone(place: Place) -> Finding:
    """`loop` is used as if it were a value.

    Inside of a `for`, `loop.index` is the item's number, from 1, and `loop.first` and `loop.last` are true at the ends.
    The item itself has the name that stands after `for`.
    """
    return Finding(
        "loop-alone", "`loop` itself is no value", place, "use `loop.index`, `loop.first` or `loop.last`"
    )


@problem
def loop_read_as_list(place: Place, written: str, *, readable: bool = True, certain: bool = True) -> Finding:
    """A list that is made of another one stands without quotes, so that YAML reads it as texts, or not at all.

    In YAML, a value that begins with `[` is a list of what stands between the brackets. An expression that begins so
    stands in quotes: `"${{ [x.name for x in event.items] }}"`, and without `${{ }}` where the whole value is one. If
    there are double quotes in it, put it in single ones: `'${{ [{"name": x.name} for x in event.items] }}'`.
    """
    simple = '"' in written and "'" not in written
    written = f"'{written}'" if simple else '"' + written.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return Finding(
        "loop-read-as-list",
        "without quotes, YAML reads this as a list of texts"
        if readable
        else "YAML cannot read a list made of another without quotes",
        place,
        f"write `{written}`" if len(written) <= 80 else "put it in quotes, as an expression",
        fix=replace_value(place, written, "safe")
        if readable
        else replace_text(place, written, applicability="safe" if certain else "unsafe"),
    )


@problem
def map_by_loop(place: Place) -> Finding:
    """A loop stands in braces.

    A loop makes a list, not a map. Often a list of records serves as well: `[{"name": x.name, "total": x.total} for x
    in event.orders]`; `group` and `count_by` make maps.
    """
    return Finding(
        "map-by-loop",
        "a loop makes a list, not a map",
        place,
        "make a list of records, or use `group` or `count_by`",
    )


@problem
def map_without_action(place: Place, made: str) -> Finding:
    """A `map` has no `do`, so nothing is done with its items.

    A `map` does one action for each item. A list that is only made of another one is an expression, and needs no step:
    `[order for order in event.orders if order.days_late > 3]`. Write it where the `result` of the step stood, or let a
    `transform` hand it on: `with: {late: "${{ [order for order in event.orders if order.days_late > 3] }}"}`. How long
    the list may be is said by the type of the list that it is made of: `{type: list of Order, max_length: 500}`.
    """
    return Finding(
        "map-without-action",
        "a `map` does one action for each item, and its `do` is missing",
        place,
        f"if only a list is to be made, write `${{{{ {made} }}}}` where its `result` is used, in a `transform`;"
        " if something is to be done with each item, add `do`",
    )


@problem
def result_in_keep(place: Place) -> Finding:
    """The `keep` of a `map` asks for the result of the action.

    `keep` says with which items the action is done, so it is looked at before there is a result. Results are chosen
    from where the list is used, in an expression: `[found for found in result if found.score > 3]`. What the condition
    needs to know has to be in what `give` gives: `give: {id: "${{ item.id }}", score: "${{ result.score }}"}`.
    """
    return Finding(
        "result-in-keep",
        "`keep` is looked at before the action, when there is no `result` yet",
        place,
        "choose where the list is used: `[one for one in result if …]`, in which `one` is what `give` gives",
    )
