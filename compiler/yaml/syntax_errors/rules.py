"""The rules that know mistakes by errors of the parser, in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from wfc.compiler.diagnostics import Finding
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.syntax_errors import brackets, colons, indentation, no_entry, quotes, tabs, wrong_start
from wfc.compiler.yaml.syntax_errors.problem import (
    ALIAS,
    BETWEEN,
    BLOCK_SCALAR,
    DASH_MISSING,
    MISALIGNED,
    NEVER_CLOSED,
    NO_COLON,
    NO_TOKEN,
    NO_VALUE,
    NOT_ALLOWED,
    SECOND_COLON,
    TAG,
    SyntaxProblem,
)
from wfc.compiler.yaml.syntax_errors.quoted_values import compared_in_quotes
from wfc.compiler.yaml.syntax_errors.unquoted_lists import unquoted_list

__all__ = ["RULES", "SyntaxRule"]


@dataclass(frozen=True, slots=True)
class SyntaxRule:
    """A mistake that is known.

    Args:
        words: What the parser says of it, at least one of these; nothing if it may say anything.
        find: Returns the finding if the text around the problem has the shape of the mistake.
    """

    words: tuple[str, ...]
    find: Callable[[SyntaxProblem], Finding | None]


def says(what: str, hint: str = "") -> Callable[[SyntaxProblem], Finding]:
    """Return what says the same whatever stands there."""
    return lambda problem: problem.finding(what, hint)


ANY: Final = ()
"""Of no words it is true that the parser says one of them."""

RULES: Final = (
    SyntaxRule(ANY, unquoted_list),
    SyntaxRule((*BETWEEN, *NO_TOKEN, *NOT_ALLOWED, *MISALIGNED), brackets.other_bracket),
    SyntaxRule((*BETWEEN, *NO_TOKEN, *NEVER_CLOSED), quotes.no_colon_before_quote),
    SyntaxRule((*BETWEEN, *MISALIGNED, *NEVER_CLOSED), compared_in_quotes),
    SyntaxRule((*BETWEEN, *NEVER_CLOSED), quotes.letter_before_quote),
    SyntaxRule((*BETWEEN, *NEVER_CLOSED), quotes.dollar_before_quote),
    # a colon that would make a key of a value
    SyntaxRule(SECOND_COLON, indentation.keys_below_name),
    SyntaxRule(SECOND_COLON, indentation.list_below_value),
    SyntaxRule(SECOND_COLON, indentation.glued_dash_above),
    SyntaxRule(SECOND_COLON, indentation.indented_too_far),
    SyntaxRule(SECOND_COLON, colons.colon_before_name_above),
    SyntaxRule(SECOND_COLON, no_entry.no_entry_above),
    SyntaxRule(SECOND_COLON, no_entry.no_entry_below_entry),
    SyntaxRule(SECOND_COLON, colons.colon_before_name),
    SyntaxRule(SECOND_COLON, colons.no_colon_before_bracket),
    SyntaxRule(SECOND_COLON, colons.no_colon_after_name),
    SyntaxRule(SECOND_COLON, colons.second_colon),
    # what cannot stand between braces or square brackets
    SyntaxRule(BETWEEN, brackets.type_before_brackets),
    SyntaxRule(BETWEEN, brackets.list_type_with_brackets),
    SyntaxRule(BETWEEN, quotes.closed_before_more_text),
    SyntaxRule(BETWEEN, colons.second_colon_in_brackets),
    SyntaxRule(ANY, quotes.closed_late),
    SyntaxRule((*BETWEEN, *NO_TOKEN), quotes.no_colon_before_expressions),
    SyntaxRule(BETWEEN, brackets.bare_expression),
    SyntaxRule(BETWEEN, brackets.quote_behind_list),
    # a character with which nothing can begin
    SyntaxRule(ANY, wrong_start.negation),
    SyntaxRule(NO_TOKEN, tabs.tab_as_token),
    SyntaxRule(NO_TOKEN, quotes.equals_before_quote),
    SyntaxRule(NO_TOKEN, wrong_start.fence),
    SyntaxRule(NO_TOKEN, wrong_start.statement),
    SyntaxRule(NO_TOKEN, wrong_start.backtick),
    SyntaxRule(NO_TOKEN, wrong_start.open_expression),
    SyntaxRule(NO_TOKEN, wrong_start.special_character),
    SyntaxRule(ANY, tabs.tab_in_indentation),
    # a line that is no entry, or stands at the wrong depth
    SyntaxRule((*DASH_MISSING, *MISALIGNED), brackets.closes_nothing),
    SyntaxRule(DASH_MISSING, indentation.keys_below_name),
    SyntaxRule(MISALIGNED, colons.no_name),
    SyntaxRule(MISALIGNED, colons.colon_before_name),
    SyntaxRule((*DASH_MISSING, *MISALIGNED, *BLOCK_SCALAR), brackets.closed_before_end_of_line),
    SyntaxRule((*DASH_MISSING, *MISALIGNED, *BLOCK_SCALAR), quotes.closed_before_end_of_line),
    SyntaxRule(MISALIGNED, no_entry.no_entry_before_bracket),
    SyntaxRule((*DASH_MISSING, *MISALIGNED), no_entry.no_entry_with_comment),
    SyntaxRule((*DASH_MISSING, *MISALIGNED), colons.no_colon_after_name),
    SyntaxRule(MISALIGNED, indentation.keys_below_name),
    SyntaxRule(MISALIGNED, indentation.glued_dash_above),
    SyntaxRule(MISALIGNED, indentation.indented_too_far),
    SyntaxRule(ALIAS, no_entry.no_entry),
    SyntaxRule(NO_COLON, colons.colon_before_name_opened),
    SyntaxRule(NO_COLON, no_entry.no_entry_opened),
    SyntaxRule(NO_COLON, colons.no_colon),
    # what the parser's words stand for, whatever was meant
    SyntaxRule(NEVER_CLOSED, quotes.equals_before_quote),
    SyntaxRule(NEVER_CLOSED, quotes.closed_by_empty_text),
    SyntaxRule(NEVER_CLOSED, quotes.second_quote),
    SyntaxRule(NEVER_CLOSED, quotes.never_closed),
    SyntaxRule(
        ("unknown escape character",),
        says("double quotes know no such escape", "use single quotes, or `\\\\` for a backslash"),
    ),
    SyntaxRule(
        ("hexadecimal", "hexdecimal", "expected escape sequence of"),
        says("this escape wants more hexadecimal digits", "such as `\\u00e9`"),
    ),
    SyntaxRule(("invalid Unicode character escape",), says("this escape is no character")),
    SyntaxRule(BETWEEN, brackets.no_comma),
    SyntaxRule(DASH_MISSING, indentation.item_too_far),
    SyntaxRule(DASH_MISSING, indentation.key_in_list),
    SyntaxRule(
        DASH_MISSING,
        says(
            "this line does not continue the list above it",
            "begin it with `- `, or mend its indentation; if this is no list, leave out the `- ` above",
        ),
    ),
    SyntaxRule(MISALIGNED, indentation.misaligned),
    SyntaxRule(
        ("sequence entries are not allowed",),
        says("a list cannot begin on this line", "begin it on the next, or write `[a, b]`"),
    ),
    SyntaxRule(("mapping keys are not allowed",), says("a key cannot stand here")),
    SyntaxRule(ALIAS, says("an alias has a name after the `*`", "put a text that begins with `*` in quotes")),
    SyntaxRule(
        ("while scanning an anchor",),
        says("an anchor has a name after the `&`", "put a text that begins with `&` in quotes"),
    ),
    SyntaxRule(TAG, brackets.expression_before_tag),
    SyntaxRule(TAG, says("this is a tag to YAML", "put a text that begins with `!` in quotes")),
    SyntaxRule(
        ("directive",),
        says("this line is a directive to YAML", "remove the line that begins with `%`"),
    ),
    SyntaxRule(
        ("YAML document",),
        says("this version of YAML is not known here", "remove the line that begins with `%YAML`"),
    ),
    SyntaxRule(("indentation indicator",), says("an indentation of 1 to 9 spaces may be given here")),
    SyntaxRule(
        ("a block scalar",),
        says("nothing but a comment may follow on this line", "put the text on the lines below"),
    ),
    SyntaxRule(("document start",), indentation.below_indented_first),
    SyntaxRule(
        ("document start",),
        says(
            "the spec ends before this line",
            "its indentation is wrong, or that of all lines above, or a comment above has lost its `#`",
        ),
    ),
    SyntaxRule(NO_VALUE, wrong_start.no_value),
)
"""The first rule counts whose words the parser says and that knows the mistake."""
