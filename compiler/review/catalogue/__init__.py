"""The rules about changes, by whom they touch: each with what finds its changes beside it."""
