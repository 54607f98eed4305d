"""The model that holds answers against those of the cases, and what it costs."""

from __future__ import annotations

from typing import Any

__all__ = ["Judge"]


class Judge:
    """A model that judges.

    Args:
        use: ``provider:name``.
    """

    def __init__(self, use: str) -> None:
        from wfc.runtime.calls.knowledge.helpers import Paid, alone
        from wfc.runtime.calls.llm import Model

        self.paid = Paid()
        self.unjudged = 0
        self._host = alone(self.paid).host
        self._model = Model(use)

    async def agreement(self, question: str, reference: str, answer: str) -> float | str:
        """Return how well an answer agrees with a reference, from 0 to 1; or why the model cannot say it."""
        from wfc.runtime.calls.knowledge.judging import agreement
        from wfc.runtime.errors import WorkflowError

        try:
            return await agreement(self._host, self._model, question, reference, answer)
        except WorkflowError as error:
            self.unjudged += 1
            return str(error)

    def told(self) -> dict[str, Any]:
        """Return what it has cost, as plain data."""
        paid = self.paid
        return {
            "model": self._model.use,
            "calls": paid.calls,
            "tokens": paid.tokens,
            "cost_usd": paid.cost_usd if not paid.unpriced else None,
        }

    def miss(self) -> str:
        """Return that some answers could not be judged; empty if all were."""
        return f"answers that could not be judged: {self.unjudged:,}" if self.unjudged else ""

    def said(self) -> str:
        """Return it in a line."""
        paid = self.paid
        cost = f"US$ {paid.cost_usd:.4f}" if not paid.unpriced else "nobody knows its price"
        return f"the judge, {self._model.use}: {paid.calls:,} calls, {paid.tokens:,} tokens, {cost}"
