"""Versions of stored runs: what is recorded of a plan, where a run stands in it, and how it moves to another one."""
