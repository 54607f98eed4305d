"""What expressions have instead of names and functions that other languages and systems have."""

from __future__ import annotations

__all__ = [
    "AT_A_PLACE",
    "FILTER_NAMES",
    "FOREIGN_PLACES",
    "INSTEAD_OF_CALLS",
    "INSTEAD_OF_FILTERS",
    "INSTEAD_OF_NAMES",
    "OF_ANY_PLACE",
    "OTHERWISE_CALLED",
    "SECTIONS",
    "WHERE_NAMES_ARE",
]

SECTIONS = {
    **dict.fromkeys(
        ["texts", "prompts"], "a declared text is put into another by its name: `{% use NAME %}`"
    ),
    "models": "no expression reads `models`: a step names its model under `model`",
    "tools": "no expression reads `tools`: a step names its tool under `tool`",
}
"""Sections of a spec that no expression reads, unless a field has that name."""

WHERE_NAMES_ARE = {
    "event": "`event` is the one event that a step accepts; a join has `events`",
    "events": "`events` is what a join has accepted; other steps have `event`",
    "result": "`result` is what the step's action gave; it is there after it only",
    "error": "`error` is there in `on_error` and `on_item_error` only",
    "response": "`response` is there after a request only: an `http` action, or a tool with `http`",
    "agent": "`agent` is there after a step of kind `agent` only, in `save`, `emit` and `stream`",
    "loop": "`loop` is there in a loop only, and in what a `map` says of an item",
    "args": "`args` is there in a tool's own binding only",
    "state": "`state` cannot be used here",
    "config": "`config` cannot be used here",
    "inputs": "`inputs` cannot be used here",
    "run": "`run` cannot be used here",
    **dict.fromkeys(
        ["jobs", "needs", "nodes", "steps"],
        "what a step gave is in the event that it emitted (`event`, in a join `events`), or in `state`, if it saves it",
    ),
    **dict.fromkeys(["github", "trigger", "webhook"], "what a run begins with is in `inputs`"),
    **dict.fromkeys(["item", "items"], "an item has the name that `as` gives it in a `map` or an `each`"),
    **dict.fromkeys(
        ["now", "today", "tomorrow", "yesterday"],
        'the time is `run.now`, its day `run.now | date`, and a day later `run.now + "1 day"`',
    ),
    **dict.fromkeys(
        ["context", "ctx", "variables", "vars"],
        "what a run keeps is in `state`, what it begins with in `inputs`, what is set from outside in `config`",
    ),
    "omit": "an optional field is left out by `none`",
    **dict.fromkeys(["default", "otherwise"], "the last entry of a list needs no `when`"),
    "env": "what the environment gives is declared under `config`: `config.name`",
    "secrets": "a secret is never part of a text: write `auth: {bearer: NAME}`, or `{secret: NAME}` as a whole header",
}

OF_ANY_PLACE = frozenset(
    {"body", "context", "ctx", "data", "github", "json", "message", "msg", "payload", "req", "request", "trigger",
     "webhook"}
)  # fmt: skip
"""Names elsewhere of what a step works on, which is one thing or another here."""
AT_A_PLACE = {
    "event": "what the step has accepted is `event`",
    "events": "what the join has accepted is `events`",
    "result": "what its action gave is `result`",
}
"""What a step works on, where it is there."""

FOREIGN_PLACES = frozenset(
    {
        "context",
        "ctx",
        "github",
        "variables",
        "vars",
        "default",
        "item",
        "items",
        "jobs",
        "needs",
        "nodes",
        "otherwise",
        "steps",
        "trigger",
        "webhook",
    }
)
"""Those of them that mean nothing here; a field may have such a name."""

OTHERWISE_CALLED = {
    "TRUE": "true", "FALSE": "false", "yes": "true", "no": "false", "NULL": "none", "Null": "none", "nil": "none",
    "undefined": "none", "NONE": "none",
    "self": "event", "this": "event", "payload": "event", "message": "event", "msg": "event", "settings": "config",
    "output": "result", "outputs": "result", "response": "result", "answer": "result", "params": "inputs",
}  # fmt: skip
"""Names that mean something elsewhere, each with what is meant by it here."""

INSTEAD_OF_CALLS = {
    "always": "an entry for all other cases stands last, without `when`; and a step runs when an event comes that it "
    "accepts",
    **dict.fromkeys(
        ["cancelled", "failure", "success"],
        "a step runs when an event comes that it accepts; errors leave by `on_error`",
    ),
    **dict.fromkeys(["now", "today", "utcnow"], "the time is `run.now`"),
    **dict.fromkeys(["env", "getenv", "environ"], "what the environment gives is declared under `config`"),
    **dict.fromkeys(["random", "uuid", "uuid4"], "there is no chance in expressions; `run.id` names the run"),
    **dict.fromkeys(
        ["format", "sprintf", "concat"], "put texts together with `~`, or write `${{ }}` in the text"
    ),
    **dict.fromkeys(["case", "cond", "if", "ifelse", "iif"], "a choice is written `a if condition else b`"),
    **dict.fromkeys(["dict", "object", "namespace", "record"], 'a record is written `{"NAME": VALUE}`'),
    **dict.fromkeys(["list", "array", "tuple"], "a list is written `[A, B]`; what is a list stays one"),
    "set": "`| unique` takes each value of a list once",
    "coalesce": "what stands for a missing value is said by `| default(…)`",
    "has": "whether something is there is asked by `is not none`, and whether a list holds it by `| contains(…)`",
    "get": "write the field after a dot, and `| default(…)` if it may be missing",
    **dict.fromkeys(
        [
            "exists",
            "isset",
            "defined",
            "isdefined",
            "is_defined",
            "isnull",
            "is_null",
            "empty",
            "isempty",
            "is_empty",
        ],
        "whether something is there is asked by `is not none`, and whether it holds anything by `is not empty`",
    ),
    **dict.fromkeys(
        ["adddays", "addhours", "addminutes", "plus", "plusdays", "plushours", "timedelta"],
        'a moment later is a sum, such as `run.now + "3 days"`',
    ),
    **dict.fromkeys(
        ["charat", "left", "mid", "right", "slice", "substr", "substring", "take"],
        "a part stands in brackets: `TEXT[0:3]` are the first three letters, `TEXT[-3:]` the last; so of a list",
    ),
    **dict.fromkeys(
        ["lstrip", "rstrip", "trimend", "trimstart"], "`| trim` takes the blanks away, at both ends"
    ),
    **dict.fromkeys(["append", "push"], "a longer list is a sum: `(LIST + [ITEM])`"),
    "between": "write `LOW <= x and x <= HIGH`",
    "enumerate": "the number of an item is `loop.index`, from 1: `for NAME in LIST`",
    "range": "numbers are written out, `[1, 2, 3]`; the number of an item is `loop.index`",
    "items": "`for key, value in MAP` goes through a map as it is; what it holds are `| keys` and `| values`",
}
"""What there is instead of functions that are none of our filters."""

FILTER_NAMES = {
    "len": "length",
    "size": "length",
    "count": "length",
    "tolowercase": "lower",
    "touppercase": "upper",
    "strip": "trim",
    "includes": "contains",
    "str": "string",
    "tostring": "string",
    "int": "integer",
    "parseint": "integer",
    "float": "number",
    "tofixed": "fixed",
    "parsefloat": "number",
    "sorted": "sort",
    "reversed": "reverse",
    "tojson": "json",
    "dumps": "json",
    "stringify": "json",
    "loads": "from_json",
    "parsejson": "from_json",
    "isoformat": "format",
    "strftime": "format",
    "dateformat": "format",
    "datetimeformat": "format",
    "formatdate": "format",
    "formatdatetime": "format",
    "distinct": "unique",
    "downcase": "lower",
    "uniq": "unique",
    "upcase": "upper",
    "replaceall": "replace",
    "groupby": "group",
    "orderby": "sort",
    "sortby": "sort",
    "asdatetime": "datetime",
    "todatetime": "datetime",
    "regexmatch": "matches",
}
"""What functions and methods are called elsewhere, in small letters without underscores, and the filter here. The name
that a filter has here is known without this table."""

OF_A_LIST = (
    "of a list `[one for one in LIST if …]` takes what fits, and `[one.name for one in LIST]` a field of each"
)
INSTEAD_OF_FILTERS = {
    **dict.fromkeys(
        ["csv", "fromcsv", "parsecsv", "readcsv"],
        'a table is taken apart by `| lines` and, for each line, `| split(",")`; one with quotes by a tool',
    ),
    **dict.fromkeys(["filter", "map", "reject", "rejectattr", "select", "selectattr"], OF_A_LIST),
    **dict.fromkeys(["array", "list", "tolist", "toarray"], "no filter makes a list: what is one stays one"),
    **dict.fromkeys(
        ["average", "avg", "mean"], "divide the sum by the number: `(LIST | sum) / (LIST | length)`"
    ),
    **dict.fromkeys(["append", "concat", "prepend"], "texts are put together with `~`, lists with `+`"),
    **dict.fromkeys(["combine", "merge"], "maps are put together with `+`"),
    **dict.fromkeys(
        ["minus", "plus", "times", "dividedby"], "numbers are reckoned with by `+`, `-`, `*` and `/`"
    ),
    **dict.fromkeys(["iif", "ternary"], "write `a if condition else b`"),
    **dict.fromkeys(["e", "escape", "safe"], "leave it out: nothing is escaped"),
    **dict.fromkeys(["dictsort", "items"], "over a map: `[… for name, value in MAP]`"),
    "get": 'a field stands behind a dot, and a value of a map in brackets: `MAP["KEY"]`',
    "time": 'the time of a moment is `| format("%H:%M")`',
    "slice": "a part stands in brackets: `LIST[0:3]`",
    **dict.fromkeys(
        ["timeago", "timestamp"], "moments are compared, and their difference is a length of time"
    ),
}
"""What there is instead of filters that other systems have, by their names in small letters without `_`."""

INSTEAD_OF_NAMES = {
    "trigger": (
        {"body", "data", "event", "headers", "inputs", "payload", "request", "result"},
        "what has come is `trigger.body`, and its headers are `trigger.headers`",
    ),
    "args": (
        {"event", "input", "inputs", "parameters", "params"},
        "what a step gives is in `args`: `args.name`",
    ),
    "call": (
        {"args", "arguments", "params"},
        "what a call of a tool is given is in `call.args`: `call.args.name`",
    ),
    "old": (
        {"event", "events", "inputs", "new", "self", "state", "value"},
        "what a paused run holds is `old`: `old.name`",
    ),
}
"""By a name that there is at a few places only: other names for it there, and what is said of them."""
