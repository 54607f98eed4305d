"""Whether a run of one plan may go on under another: judged from the descriptions of both and where the run stands."""
