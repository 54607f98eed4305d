"""Diagnosis of lines that YAML cannot read: what was meant, and how to write it."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.types.notations import other_notation

__all__ = [
    "find_after_closing",
    "find_colon_before",
    "find_in_braces",
    "find_indented_too_far",
    "find_keys_below_name",
    "find_list_below_value",
    "find_no_colon",
    "find_no_colon_after_name",
    "find_no_colon_below_entry",
    "find_no_key",
    "find_no_key_above",
    "find_no_name",
    "indentation_hint",
    "line_at",
]

ITEM_OF_MAPS: Final = re.compile(r"(?P<indent> *)(?P<dash>-) +(?:[\w-]+:(?= |\r?$)|\{)", re.MULTILINE)
ENTRY: Final = re.compile(r"(?P<indent> *)(?P<key>[\w-]+):(?= |\r?$)", re.MULTILINE)
COLON_BEFORE: Final = re.compile(r" *(?P<key>:(?P<name>[\w-]+))(?P<rest> [^\r\n]*)?\r?")
FLOW: Final = r"\{[^{}\r\n]*(?:\{[^{}\r\n]*\}[^{}\r\n]*)*\}|\[[^\[\]\r\n]*\]"
COMPLETE: Final = re.compile(
    rf"(?P<indent> *)(?:- +)?[\w-]+: +(?:[^\s|>&*!#{{\[\"'][^\r\n]*|(?:{FLOW}|\"[^\"\r\n]*\"|'[^'\r\n]*') *\r?\n)",
    re.MULTILINE,
)
CLOSED: Final = re.compile(r" *(?:- +)?[\w-]+: +(?P<value>(?P<sign>[\"'{\[])[^\r\n]*)")
COMMENT: Final = re.compile(r"[ ]*(?P<sign>//+|/\*+|--+(?![->])|\*(?= )|;+|<!--)[ ]*(?P<words>[^\r\n]*)")
STAR: Final = re.compile(r" *(?P<star>[*+]) +(?P<rest>[\w-]+: [^\r\n]*|[A-Z]\w*) *")
ITEM: Final = r"[A-Z]\w*|[\w-]+:(?: .*)?"
"""What an item of a list may be: the name of an event, or a key."""
GLUED: Final = re.compile(r" *(?:- +)?(?P<key>[a-z_]\w*)(?P<colon>:)(?!//)(?P<value>[^\s:][^\r\n:]*)")
"""A line such as `kind:human`, which YAML takes for a text that goes on in the next line."""
NO_NAME: Final = re.compile(r" *(?:- +)?(?P<colon>:)(?: [^\r\n]*)?")
DASH: Final = re.compile(r" *(?P<dash>-)(?P<rest>[a-z_]\w*:[^\r\n]*)")
BARE: Final = re.compile(
    r" *(?:- +)?(?P<key>[a-z_]\w*)(?P<gap> *= *| +(?=[\"'\[{$\w])| *(?=\r?$))(?P<value>[^\r\n]*)",
    re.MULTILINE,
)
"""A line such as `kind human` or `kind = human`."""
NAME_ABOVE: Final = re.compile(
    r"(?P<indent> *)(?:- +|(?P<key>[a-z_]\w*): +)(?P<name>[A-Za-z]\w*(?:\.\w+)*) *(?:#[^\r\n]*)?\r?\n"
)
"""A line that is a name, as an item of a list or behind a key."""
EXITS: Final = frozenset({"emit", "on_error", "on_limit", "on_timeout"})
"""Keys of steps under which an event is emitted."""
OF_EVENTS: Final = frozenset({"when", "with", "save"})
"""Keys that stand beside the event of an entry."""
ITEM_TYPE: Final = re.compile(r"(?<![\w.])[A-Za-z]\w*\Z")
LIST_OF: Final = re.compile(
    r"(?P<type>list|array|set|map|dict|optional|enum|List|Array|Dict|Map|Optional|Enum|Literal|Union)\Z"
)
NEXT_ENTRY: Final = re.compile(r", *(?P<key>[\w-]+): ?(?=[\"'{\[\w])")
"""Another entry inside of what should be a text between braces."""
LAST_QUOTE: Final = re.compile(r"(?P<sign>[\"'])(?=\s*(?:[}\]]|,\s|$))")
BEFORE_BRACKET: Final = re.compile(r" *(?:- +)?(?P<key>[A-Za-z_][\w-]*) *(?P<sign>[,;=]?) *(?=\{|\[)")
HAS_KEY: Final = re.compile(r" *(?:- +)*[\w-]+:(?: |$)")
BEGINS_TEXT: Final = re.compile(r" *(?:- +)*[\w-]+: +[^\s|>&*!#{\[\"']")
"""A line whose value is a text without quotes, which may go on below."""
NAME_ALONE: Final = re.compile(r"(?P<indent> *)(?P<key>[A-Za-z_][\w-]*) *\r?\n")
IN_BRACKETS: Final = re.compile(r" *[a-z_]\w* +(?:\{[^\r\n]*\}|\[[^\r\n]*\]) *")
OPEN_VALUE: Final = re.compile(r" *(?:- +)?(?P<key>[a-z_]\w*) *=? *[\[{\"']")
QUOTED_BEFORE: Final = re.compile(r"(?P<sign>[\"'])(?P<text>(?:(?!(?P=sign))[^\r\n])*)(?P=sign)\Z")


def line_at(text: str, at: int) -> tuple[int, int]:
    """Return start and end of the line that a place is on, without its line break."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    ends = [each for each in (text.find("\n", at), text.find("\r", at)) if each >= 0]
    return start, min(ends, default=len(text))


def line_above(text: str, at: int) -> tuple[int, int] | None:
    """Return the line above another, if it is not empty and is indented at least as far."""
    start, end = line_at(text, at)
    if start == 0:
        return None
    above = line_at(text, max(0, start - (2 if text[start - 2 : start] == "\r\n" else 1)))
    same = indent(text, *above) == indent(text, start, end)
    return above if same and text[slice(*above)].strip() else None


def spaces(number: int) -> str:
    return "1 space" if number == 1 else f"{number} spaces"


def indent(text: str, start: int, end: int) -> int:
    line = text[start:end]
    return len(line) - len(line.lstrip(" "))


def find_no_key_above(text: str, at: int) -> Finding | None:
    """Return the finding for a line that is not an entry, detected at the unreadable entry below it."""
    entry = ENTRY.match(text, line_at(text, at)[0])
    if meant := find_colon_before(text, max(0, line_at(text, at)[0] - 1)):
        return meant
    above = line_above(text, at) if entry is not None and entry.end() - 1 == at else None
    return None if above is None else find_no_key(text, *above)


def find_no_colon_below_entry(text: str, at: int) -> Finding | None:
    """Return the finding for a line such as `tool {python: "shop:pay"}` below an entry of the same map."""
    start, end = line_at(text, at)
    entry = ENTRY.match(text, text.rfind("\n", 0, start - 1) + 1, start) if start else None
    below = entry is not None and len(entry["indent"]) == indent(text, start, end)
    return find_no_key(text, start, end) if below and IN_BRACKETS.fullmatch(text, start, end) else None


def find_colon_before(text: str, at: int) -> Finding | None:
    """Return the finding for a line that is a name behind its colon, as in `:greet`."""
    colon = COLON_BEFORE.fullmatch(text, *line_at(text, at))
    if colon is None:
        return None
    place = Place((), "text", *colon.span("key"))
    rest = shown(colon["rest"] or "")
    hint = f"write `{colon['name']}:{' ' if rest else ''}{rest}`"
    return problems.syntax_error(place, "the colon stands behind a key", hint)


def find_no_key(text: str, start: int, end: int) -> Finding | None:
    """Return the finding for a line that should be an entry, or a comment, and is neither."""
    if (star := STAR.fullmatch(text, start, end)) is not None:
        place = Place((), "text", *star.span("star"))
        hint = f"write `- {shown(star['rest'])}`"
        return problems.syntax_error(
            place, "an item of a list begins with `- `", hint, fixes.replace_text(place, "-")
        )
    comment = COMMENT.fullmatch(text, start, end)
    if (
        comment is not None
        and comment["sign"].startswith("--")
        and re.fullmatch(ITEM, comment["words"].rstrip())
    ):
        place = Place((), "text", *comment.span("sign"))
        return problems.syntax_error(
            place, "an item of a list begins with one `-` only", "", fixes.replace_text(place, "-")
        )
    if comment is not None:
        place = Place((), "text", comment.start("sign"), end)
        words = f"# {comment['words'].removesuffix('*/').removesuffix('-->').strip()}"
        return problems.syntax_error(
            place,
            f"`{comment['sign']}` begins no comment",
            "a comment begins with `#`",
            fixes.replace_text(place, words),
        )
    if (dash := DASH.fullmatch(text, start, end)) is not None:
        place = Place((), "text", *dash.span("dash"))
        return problems.syntax_error(
            place,
            "a space is missing after this `-`",
            f"write `- {shown(dash['rest'])}`",
            fixes.replace_text(place, "- ", title="put a space there"),
        )
    if (glued := GLUED.fullmatch(text, start, end)) is not None:
        place = Place((), "text", *glued.span("colon"))
        hint = f"write `{glued['key']}: {shown(glued['value'])}`"
        return problems.syntax_error(
            place,
            "a space is missing after this colon",
            hint,
            fixes.replace_text(place, ": ", applicability="safe", title=hint),
        )
    if (bare := BARE.fullmatch(text, start, end)) is not None:
        key = bare["key"]
        hint = f"write `{key}: {shown(bare['value'])}`" if bare["value"].strip() else f"write `{key}:`"
        fix = fixes.replace_text(
            Place((), "text", *bare.span("gap")), ": " if bare["value"].strip() else ":", title=hint
        )
        place = Place((), "text", bare.start("key"), start + len(text[start:end].rstrip()))
        return problems.syntax_error(place, "a colon and a space are missing after this key", hint, fix)
    return None


def find_no_name(text: str, at: int) -> Finding | None:
    """Return the finding for a line that begins with a colon."""
    found = NO_NAME.fullmatch(text, *line_at(text, at))
    if found is None:
        return None
    return problems.syntax_error(
        Place((), "text", *found.span("colon")), "a key is missing before this colon", ""
    )


def shown(value: str) -> str:
    value = value.strip()
    return value if len(value) <= 40 else "…"


def find_keys_below_name(text: str, at: int) -> Finding | None:
    """Return the finding for keys below a name that is a whole value already, as below `- Told` or `emit: Told`."""
    line, _ = line_at(text, at)
    entry = ENTRY.match(text, line)
    named = NAME_ABOVE.match(text, text.rfind("\n", 0, line - 1) + 1, line) if line else None
    if entry is None or named is None or len(entry["indent"]) <= len(named["indent"]):
        return None
    name, is_event = named["name"], named["name"][:1].isupper()
    place = Place((), "text", *named.span("name"))
    what = f"`{name}` is a whole value, and `{entry['key']}` stands below it"
    if named["key"] is None:
        hint = f"write `- event: {name}`" if is_event else f"write a key and a colon before `{name}`"
        fix = fixes.replace_text(place, f"event: {name}", title=hint) if is_event else None
        return problems.syntax_error(place, what, hint, fix)
    if not is_event or named["key"] not in EXITS or entry["key"] not in OF_EVENTS:
        return None
    hint = f"put both into a map: `{named['key']}: {{event: {name}, {entry['key']}: …}}`"
    return problems.syntax_error(place, what, hint)


def find_indented_too_far(text: str, at: int) -> Finding | None:
    """Return the finding for a line that is indented further than the one above, whose value is complete."""
    line, _ = line_at(text, at)
    entry = ENTRY.match(text, line)
    if entry is None or line == 0 or at not in {entry.end() - 1, entry.start("key")}:
        return None
    above = text.rfind("\n", 0, line - 1) + 1
    complete = COMPLETE.match(text, above, line)
    if DASH.match(text, above, line):
        return find_no_key(text, *line_at(text, above))
    if complete is None or len(complete["indent"]) >= len(entry["indent"]):
        return None
    place, far = Place((), "text", entry.start("key"), entry.end("key")), len(entry["indent"])
    what = "this line is indented further than the one above, which is complete"
    return problems.syntax_error(place, what, how_far(text, above, line, len(complete["indent"]), far))


def find_no_colon_after_name(text: str, at: int) -> Finding | None:
    """Return the finding for a name without its colon: above what belongs to it, or before its map in braces."""
    start, end = line_at(text, at)
    beside = BEFORE_BRACKET.match(text, start, end)
    if goes_on(text, start, indent(text, start, end)):
        return None
    if beside is not None and beside.end() < at:
        place = Place((), "text", *beside.span("key"))
        return problems.syntax_error(
            place,
            "a colon and a space are missing after this key",
            f"write `{beside['key']}: {text[beside.end()]}…`",
        )
    above = NAME_ALONE.match(text, text.rfind("\n", 0, start - 1) + 1, start) if start else None
    if above is None or ENTRY.match(text, start) is None or len(above["indent"]) >= indent(text, start, end):
        return None
    place = Place((), "text", *above.span("key"))
    return problems.syntax_error(
        place,
        "a colon is missing after this key",
        f"write `{above['key']}:`",
        fixes.replace_text(place, f"{above['key']}:"),
    )


def goes_on(text: str, start: int, far: int) -> bool:
    """Return whether a line may be part of a text that began above: behind a key that is indented less, with nothing
    but further lines of text in between.
    """
    near = text[max(0, start - 2000) : start].splitlines()
    for line in reversed([each for each in near if each.strip(" ")]):
        if HAS_KEY.match(line):
            return BEGINS_TEXT.match(line) is not None and indent(line, 0, len(line)) < far
    return False


def find_list_below_value(text: str, at: int) -> Finding | None:
    """Return the finding for an item of a list below an entry whose value is complete."""
    line, _ = line_at(text, at)
    item = ITEM_OF_MAPS.match(text, line)
    if item is None or line == 0:
        return None
    complete = COMPLETE.match(text, text.rfind("\n", 0, line - 1) + 1, line)
    if complete is None or len(complete["indent"]) > len(item["indent"]):
        return None
    place = Place((), "text", *item.span("dash"))
    hint = (
        "the key of the list is missing above it, or a line is indented wrongly; a text of several lines stands "
        "below a `|`"
    )
    return problems.syntax_error(place, "a list begins here, and the line above has a value already", hint)


def how_far(text: str, above: int, line: int, fewer: int, far: int) -> str:
    """Return what is seen of a line that is indented too far: which of the two is wrong, only the author knows."""
    before = last_line(text, above)
    if before is not None and indent(before, 0, len(before)) == far:
        return f"it begins after {spaces(far)}, like the lines before, and only the one above after {fewer}"
    seen = f"it begins after {spaces(far)}, and the line above after {fewer}"
    return f"{seen}: one of the two is indented wrongly, or this line belongs under another key"


def last_line(text: str, before: int) -> str | None:
    """Return the last line with something in it that stands before a place, as far as that is near."""
    lines = [each for each in text[max(0, before - 2000) : before].splitlines() if each.strip(" ")]
    return lines[-1] if lines else None


def indentation_hint(text: str, at: int) -> str:
    """Return what is seen of a line that is not aligned with those above it: what is wrong may stand above as well."""
    start, end = line_at(text, at)
    above = last_line(text, start)
    if above is None:
        return ""
    far, near = indent(text, start, end), indent(above, 0, len(above))
    if (
        text[start:end].lstrip(" ").startswith("- ")
        and not above.lstrip(" ").startswith("- ")
        and far == near
    ):
        return (
            "an item of a list begins here, and keys stand above: the `- ` is too much, the line is indented "
            "wrongly, or the key of the list is missing"
        )
    seen = f"it begins after {spaces(far)}, and the line above it after {near}" if far != near else ""
    wrong = "the indentation of this line or of one above is wrong, or a key is missing above"
    return f"{seen}: {wrong}" if seen else wrong


def find_after_closing(text: str, at: int) -> Finding | None:
    """Return the finding for a value that continues after its closing quote or bracket."""
    start, end = line_at(text, at)
    found = CLOSED.fullmatch(text, start, end)
    if found is None or not found.start("value") < at:
        return None
    value = found["value"].rstrip()
    place = Place((), "text", found.start("value"), found.start("value") + len(value))
    if found["sign"] in "{[" and (rest := after_closing(value)) and not rest.strip(" ]}"):
        return problems.syntax_error(
            place, f"`{rest.strip()}` closes nothing", "leave it out, or open it before"
        )
    if found["sign"] in "{[" and re.match(r"[{\[] *[\w-]+: |\[ *[{\"']", value):
        hint = (
            "a bracket is closed too early, or what follows is too much; one text as a whole stands in quotes"
        )
        rest = after_closing(value)
        if rest.startswith(","):
            hint = "a bracket is closed too early, or one is too many"
        elif rest.count('"') % 2 or rest.count("'") % 2:
            hint = "a quote or a bracket before it is closed too early"
        return problems.syntax_error(place, "something follows after this bracket is closed", hint)
    if found["sign"] in "{[":
        fix = fixes.replace_text(place, "'" + value.replace("'", "''") + "'")
        return problems.syntax_error(
            place, "this text goes on after its bracket is closed", "put all of it in quotes", fix
        )
    if len(value) > 2 and value[-1] == value[0]:
        return quotes_in_quotes(place, value)
    fix = fixes.replace_text(place, "'" + value.replace("'", "''") + "'")
    return problems.syntax_error(
        place, "this text goes on after its quote is closed", "put all of it in quotes", fix
    )


def after_closing(value: str) -> str:
    """Return what follows the bracket that closes the one with which a value begins."""
    depth = 0
    for index, sign in enumerate(value):
        depth += (sign in "{[") - (sign in "}]")
        if depth == 0:
            return value[index + 1 :]
    return ""


def quotes_in_quotes(place: Place, value: str) -> Finding:
    """Return the finding for a quoted text that contains the same quotes, or has lost the quote that closes it."""
    inside, sign = value[1:-1], value[0]
    alone = inside.strip(sign)
    if sign not in alone and 0 < len(inside) - len(alone) <= 1 + (not alone):
        hint = (
            f"leave out one of them: `{sign}{alone}{sign}`" if len(alone) <= 60 else "leave out one of them"
        )
        return problems.syntax_error(place, "two quotes stand here side by side", hint)
    if (entry := NEXT_ENTRY.search(inside)) is not None:
        hint = f"close the quote that opens here before the key `{entry['key']}`, or escape those in the text"
        return problems.syntax_error(place, "this text goes on after its quote is closed", hint)
    if re.fullmatch(rf"[^{sign}]*, *{sign}[^{sign}]*", inside):
        hint = "close the quote that opens here before the comma, or escape those in the text"
        return problems.syntax_error(place, "this text goes on after its quote is closed", hint)
    other = "'" if sign == '"' else '"'
    if re.search(rf"{sign} *(?:[=!<>]=?|==|~|\+|and|or|in) *{sign}", inside) and other not in inside:
        whole = f"{other}{value}{other}"
        fix = fixes.replace_text(place, whole, title="put all of it in quotes")
        return problems.syntax_error(
            place, "this text goes on after its quote is closed", f"put all of it in quotes: `{whole}`", fix
        )
    if other in inside or "\\" in inside:
        again = inside.replace("\\", "\\\\").replace('"', '\\"') if sign == '"' else inside.replace("'", "''")
        better = f"{sign}{again}{sign}"
    else:
        better = f"{other}{inside}{other}"
    hint = f"a text with `{sign}` in it stands in `{other}`: `{better}`" if len(better) <= 60 else ""
    hint = hint or f"a text with `{sign}` in it stands in `{other}`"
    return problems.syntax_error(
        place,
        "this text goes on after its quote is closed",
        hint,
        fixes.replace_text(place, better, title="mend the quotes"),
    )


def find_in_braces(text: str, at: int) -> Finding | None:
    """Return the finding for text after a closing quote between braces, or for a type with brackets."""
    if text[at : at + 1] == "[" and (kind := LIST_OF.search(text, max(0, at - 10), at)):
        end = text.find("]", at)
        inside = text[at + 1 : end].strip().replace('"', "") if at < end < at + 60 else "T"
        better = other_notation(f"{kind['type']}[{inside}]") or "list of T"
        place = Place((), "text", kind.start(), end + 1 if end > at else at + 1)
        return problems.syntax_error(
            place,
            "a type has no brackets after its name",
            f"write `{better}`",
            fixes.replace_text(place, better),
        )
    if text.startswith("[]", at) and (kind := ITEM_TYPE.search(text, max(0, at - 60), at)):
        place, better = Place((), "text", kind.start(), at + 2), f"list of {kind[0]}"
        what, hint = "a type has no brackets after its name", f"write `{better}`"
        return problems.syntax_error(place, what, hint, fixes.replace_text(place, better))
    opened = QUOTED_BEFORE.search(text, max(0, at - 300), at)
    if opened is None or text[at : at + 1] in "{}[]:,":
        return None
    sign, start = opened["sign"], opened.start()
    stop = whole_text(text, start, at, sign)
    if stop is None:
        inside = (
            "inside of single quotes write `''`" if sign == "'" else 'inside of double quotes write `\\"`'
        )
        hint = f"close the quote where the text ends; {inside}"
        return problems.syntax_error(
            Place((), "text", start, at), "this text goes on after its quote is closed", hint
        )
    return quotes_in_quotes(Place((), "text", start, stop), text[start:stop])


def whole_text(text: str, start: int, at: int, sign: str) -> int | None:
    """Return the most likely end of a quoted text that contains such quotes: before a bracket or a comma, and not
    within an expression.
    """
    _, stop = line_at(text, at)
    ends = [each.end() for each in LAST_QUOTE.finditer(text, at, stop) if each["sign"] == sign]
    whole = (end for end in ends if text.count("${{", start, end) == text.count("}}", start, end))
    return next(whole, next(iter(ends), None))


def find_no_colon(text: str, at: int) -> Finding | None:
    """Return the finding for an entry without a colon whose value is a map or a list on one line."""
    start, end = line_at(text, at)
    found = OPEN_VALUE.match(text, start, end)
    return None if found is None or found.end() > at else find_no_key(text, start, end)
