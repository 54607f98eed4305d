"""Steps: what each accepts, does, saves and emits."""
