"""Steps that fail: tried again by policies, and what takes over when those give up."""

from datetime import timedelta

from workflows import Context, Workflow, catch_error, step
from workflows.events import Event, StartEvent, StepFailedEvent, StopEvent
from workflows.retry_policy import (
    ConstantDelayRetryPolicy,
    ExponentialBackoffRetryPolicy,
    retry_all,
    retry_always,
    retry_any,
    retry_if_exception,
    retry_if_exception_cause_type,
    retry_if_exception_message,
    retry_if_exception_type,
    retry_if_not_exception_message,
    retry_if_not_exception_type,
    retry_never,
    retry_policy,
    retry_unless_exception_type,
    stop_after_attempt,
    stop_after_delay,
    stop_all,
    stop_any,
    stop_before_delay,
    stop_never,
    wait_chain,
    wait_combine,
    wait_exponential,
    wait_exponential_jitter,
    wait_fixed,
    wait_full_jitter,
    wait_incrementing,
    wait_none,
    wait_random,
    wait_random_exponential,
)


class Fetched(Event):
    text: str


class FetchAgain(Event):
    pass


class Flaky(Workflow):
    @step(
        retry_policy=retry_policy(
            retry=retry_if_exception_type(ConnectionError) | retry_if_exception_message(match="busy"),
            wait=wait_none(),
            stop=stop_after_attempt(4),
        )
    )
    async def fetch(self, ctx: Context, ev: StartEvent) -> StopEvent:
        info = ctx.retry_info()
        seen = await ctx.store.get("seen", default=[])
        seen = [*seen, [info.retry_number, type(info.last_exception).__name__, info.last_failed_at is None]]
        await ctx.store.set("seen", seen)
        error = ev.errors[info.retry_number] if info.retry_number < len(ev.errors) else None
        if error is not None:
            raise error
        return StopEvent(result=seen)


class NextTwice:
    def next(self, elapsed_time, attempts, error, *, seed=None):
        return 0 if attempts < 3 else None


class Guarded(Workflow):
    @step(retry_policy=NextTwice())
    async def fetch(self, ev: StartEvent | FetchAgain) -> Fetched:
        raise OSError("gone")

    @step
    async def use(self, ev: Fetched) -> StopEvent:
        raise ZeroDivisionError("used")

    @catch_error(for_steps=["fetch"], max_recoveries=2)
    async def once_more(self, ctx: Context, ev: StepFailedEvent) -> FetchAgain | Fetched:
        tries = await ctx.store.get("tries", default=0) + 1
        await ctx.store.set("tries", tries)
        return FetchAgain() if tries < 2 else Fetched(text="from memory")

    @catch_error
    async def otherwise(self, ctx: Context, ev: StepFailedEvent) -> StopEvent:
        tries = await ctx.store.get("tries")
        return StopEvent(
            result=[ev.step_name, type(ev.exception).__name__, ev.attempts, ev.input_event.text, tries]
        )


class Hopeless(Workflow):
    @step
    async def fetch(self, ev: StartEvent | FetchAgain) -> StopEvent:
        raise OSError("gone for good")

    @catch_error
    async def again(self, ev: StepFailedEvent) -> FetchAgain:
        return FetchAgain()


async def outcome(run) -> object:
    try:
        return await run
    except Exception as error:
        kinds = (OSError, KeyError, ValueError)
        return [next(kind.__name__ for kind in kinds if isinstance(error, kind)), "gone" in str(error)]


def caused(error: Exception, cause: Exception) -> Exception:
    try:
        raise error from cause
    except Exception as made:
        return made


ERRORS = [ValueError("rate limit"), ConnectionError("rate limit"), caused(KeyError("x"), OSError("disk"))]

CONDITIONS = [
    retry_always(),
    retry_never(),
    retry_if_exception(lambda error: "limit" in str(error)),
    retry_if_exception_type((ValueError, KeyError)),
    retry_if_not_exception_type(ValueError),
    retry_unless_exception_type((OSError, KeyError)),
    retry_if_exception_message(message="rate limit"),
    retry_if_exception_message(match="li.it"),
    retry_if_not_exception_message(match="limit"),
    retry_if_exception_cause_type(OSError),
    retry_any(retry_if_exception_type(KeyError), retry_if_exception_type(ValueError)),
    retry_all(retry_if_exception_type(OSError), retry_if_exception_message(match="rate")),
    retry_if_exception_type(OSError) & retry_if_exception_message(match="rate"),
    retry_if_exception_type(OSError) | retry_if_exception_type(KeyError),
]

WAITS = [
    wait_none(),
    wait_fixed(2),
    wait_fixed(timedelta(minutes=1)),
    wait_exponential(multiplier=0.5, exp_base=3, max=20, min=1),
    wait_incrementing(start=1, increment=2.5, max=7),
    wait_random(1, 3),
    wait_exponential_jitter(initial=2, exp_base=2, max=30, jitter=4),
    wait_random_exponential(multiplier=2, max=25, min=1),
    wait_full_jitter(multiplier=3, max=timedelta(seconds=9)),
    wait_chain(wait_fixed(1), wait_fixed(4), wait_random(0, 1)),
    wait_combine(wait_fixed(1), wait_fixed(2)),
    wait_fixed(1) + wait_random(0, 2),
    sum([wait_fixed(1), wait_fixed(2), wait_fixed(3)]),
]

STOPS = [
    stop_never(),
    stop_after_attempt(3),
    stop_after_delay(10),
    stop_before_delay(timedelta(seconds=10)),
    stop_any(stop_after_attempt(3), stop_after_delay(5)),
    stop_all(stop_after_attempt(3), stop_after_delay(5)),
    stop_after_attempt(2) & stop_before_delay(8),
    stop_after_attempt(2) | stop_before_delay(8),
]


def tables() -> object:
    """The parts' answers, which are compared between the two libraries."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        old = [
            ConstantDelayRetryPolicy(maximum_attempts=3, delay=2),
            ExponentialBackoffRetryPolicy(),
            ExponentialBackoffRetryPolicy(initial_delay=2, multiplier=3, max_delay=10, jitter=False),
        ]
    policies = [
        *old,
        retry_policy(),
        retry_policy(
            retry=retry_if_exception_type(OSError),
            wait=wait_exponential(multiplier=1, max=6),
            stop=stop_after_attempt(6) | stop_before_delay(30),
        ),
    ]
    return [
        [[condition(error) for error in ERRORS] for condition in CONDITIONS],
        [[wait(attempts, seed=seed) for attempts in (0, 1, 2, 5, 9) for seed in (1, 99)] for wait in WAITS],
        [
            [
                stop(attempts, elapsed, upcoming_sleep=2.0)
                for attempts in (1, 2, 3)
                for elapsed in (0.0, 6.0, 9.0, 12.0)
            ]
            for stop in STOPS
        ],
        [
            [
                policy.next(elapsed, attempts, error, seed=5)
                for elapsed in (0.0, 25.0)
                for attempts in (1, 2, 3, 5)
            ]
            for policy in policies
            for error in ERRORS
        ],
    ]


async def main() -> object:
    return [
        await outcome(Flaky().run(errors=[ConnectionError("no"), ValueError("busy")])),
        await outcome(Flaky().run(errors=[KeyError("not for this policy")])),
        await outcome(Flaky().run(errors=[OSError("busy")] * 9)),
        await Guarded().run(),
        await outcome(Hopeless().run()),
    ]


EXPECTED = [
    [[0, "NoneType", True], [1, "ConnectionError", False], [2, "ValueError", False]],
    ["KeyError", False],
    ["OSError", False],
    ["use", "ZeroDivisionError", 1, "from memory", 2],
    ["OSError", True],
]
