"""Wait for an order's payment, remind the customer once, and let the customer
cancel.
"""

# Generated from order_payment.yaml. Edit the spec, not this file.
# sha256:233f1e7435917e29652096220d30eb8f3b03ce9d4e465b136f1a1cdc953f349a, output format 1

from decimal import Decimal

from wfc.runtime import (
    Event,
    Inputs,
    Outside,
    Receives,
    StartEvent,
    StopEvent,
    Workflow,
    filters,
    pause,
    require_output_format,
    run_key,
    transform,
)

require_output_format(1, "order_payment.yaml")


class OrderPlaced(StartEvent, closed=True):
    order_id: str
    total: Decimal


class Paid(Event, closed=True):
    order_id: str
    amount: Decimal


class Cancelled(Event, closed=True):
    order_id: str


class NotPaid(Event, closed=True):
    pass


class OrderPaid(StopEvent, closed=True):
    amount: Decimal
    reminded: bool


class OrderDropped(StopEvent, closed=True):
    reason: str


class OrderPayment(
    Workflow,
    name="order_payment",
    receives=(Receives(Paid, key="order_id"), Receives(Cancelled, key="order_id")),
    when_running="reject",
    source="order_payment.yaml",
):
    """Wait for an order's payment, remind the customer once, and let the customer
    cancel.
    """

    # order_payment.yaml:34
    @pause(within=259200.0)
    def wait_for_money(self, event: OrderPlaced) -> Outside[Paid]:
        return Outside(Paid)

    @wait_for_money.then
    def after_wait_for_money(self, result: Paid) -> OrderPaid:
        return OrderPaid(amount=result.amount, reminded=False)

    @wait_for_money.on_expired
    def wait_for_money_expired(self) -> NotPaid:
        return NotPaid()

    @wait_for_money.that
    def wait_for_money_that(self, inputs: Inputs[OrderPlaced], result: Paid) -> bool:
        return result.amount >= inputs.total

    # order_payment.yaml:43
    @pause(within=604800.0)
    def wait_again(self, event: NotPaid) -> Outside[Paid]:
        return Outside(Paid)

    @wait_again.then
    def after_wait_again(self, result: Paid) -> OrderPaid:
        return OrderPaid(amount=result.amount, reminded=True)

    @wait_again.on_expired
    def wait_again_expired(self) -> OrderDropped:
        return OrderDropped(reason="never paid")

    @wait_again.that
    def wait_again_that(self, inputs: Inputs[OrderPlaced], result: Paid) -> bool:
        return result.amount >= inputs.total

    @wait_again.stream_before
    def before_wait_again(self, inputs: Inputs[OrderPlaced]) -> str:
        return f"Please pay order {inputs.order_id}: {filters.text(inputs.total)}."

    # order_payment.yaml:54
    @transform
    def cancel(self, event: Cancelled) -> OrderDropped:
        return OrderDropped(reason="cancelled")

    @run_key
    def key(self, inputs: OrderPlaced) -> str:
        return inputs.order_id
