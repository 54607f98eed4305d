"""The opposite of a condition, as Python."""

from __future__ import annotations

import ast

from wfc.compiler.python.literals import Code

__all__ = ["negated"]


def negated(condition: Code) -> Code:
    """Return the opposite of a condition."""
    opposite = {ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">"}
    opposite |= {ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}
    tree = ast.parse(condition, mode="eval").body
    match tree:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            source = condition.encode()
            start, end = source[: left.end_col_offset], source[right.col_offset :]
            between = source[left.end_col_offset : right.col_offset].decode()
            if "(" not in between and ")" not in between:
                return Code(f"{start.decode()} {opposite[type(operator)]} {end.decode()}")
        case ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript():
            return Code(f"not {condition}")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = condition.removeprefix("not ")
            return Code(inner[1:-1] if isinstance(operand, (ast.BoolOp, ast.IfExp)) else inner)
    return Code(f"not ({condition})")
