"""Engines that are others' work: each one in a room of its own, which nothing of ours but a command imports."""
