"""The proof that joins are filled: what each completion of a fork can lead to."""
