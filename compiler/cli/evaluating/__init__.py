"""How well a spec answers: cases with known answers (`cases`), what each run is worth (`measures`), and the table."""
