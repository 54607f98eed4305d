"""Events as data: declared fields, private attributes, and entries like those of a dictionary."""

from pydantic import Field, PrivateAttr, ValidationError
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent


class Letter(Event):
    to: str
    pages: int = Field(default=1, ge=1)
    _opened: bool = PrivateAttr(default=False)
    _reader: str = PrivateAttr(default="")


class Built(Event):
    name: str

    def __init__(self, name: str, **more):
        super().__init__(name=name.upper(), **more)


class Verdict(StopEvent):
    guilty: bool


def fails(make, kind) -> bool:
    try:
        make()
        return False
    except kind:
        return True


async def main() -> object:
    loose = Event(a=1, b=[2])
    loose.c = "three"
    loose["d"] = 4
    letter = Letter(to="Ada", stamp="blue", _opened=True)
    letter._reader = "Bob"
    letter.pages = 3
    built = Built("zoe", extra=1)
    asked, told = InputRequiredEvent(prefix="?"), HumanResponseEvent(response="!")
    stop = StopEvent(result={"x": 1})
    verdict = Verdict(guilty=True)
    return [
        [loose.a, loose["b"], loose.c, loose.get("d"), loose.get("z", 9), "a" in loose, "z" in loose],
        [
            list(loose),
            len(loose),
            sorted(loose.keys()),
            sorted(map(str, loose.values())),
            dict(loose.items()),
        ],
        [bool(Event()), loose.to_dict()],
        [letter.to, letter.pages, letter.stamp, letter._opened, letter._reader, list(letter.keys())],
        ["to" in letter, letter.get("to"), len(letter)],
        [built.name, built.extra],
        [fails(lambda: loose.z, AttributeError), fails(lambda: loose["z"], KeyError)],
        [fails(lambda: Letter(), ValidationError), fails(lambda: Letter(to="x", pages=0), ValidationError)],
        [asked.prefix, told.response, StartEvent(topic="t").topic],
        [stop.result, str(stop), repr(StopEvent(result=42, foo="bar")), stop.model_dump()["result"]],
        [verdict.guilty, verdict.result, Verdict(guilty=False, result=7).result],
    ]


EXPECTED = [
    [1, [2], "three", 4, 9, True, False],
    [
        ["a", "b", "c", "d"],
        4,
        ["a", "b", "c", "d"],
        ["1", "4", "[2]", "three"],
        {"a": 1, "b": [2], "c": "three", "d": 4},
    ],
    [True, {"a": 1, "b": [2], "c": "three", "d": 4}],
    ["Ada", 3, "blue", True, "Bob", ["stamp"]],
    [False, None, 1],
    ["ZOE", 1],
    [True, True],
    [True, True],
    ["?", "!", "t"],
    [{"x": 1}, "{'x': 1}", "StopEvent(foo='bar', result=42)", {"x": 1}],
    [True, None, 7],
]
