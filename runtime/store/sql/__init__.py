"""What stores of runs in SQL databases share: their statements, the writing thread, and most of their interface."""
