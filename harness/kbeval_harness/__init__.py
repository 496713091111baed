"""The trusted Python side of kbeval: runner host, oracle, subjects and the static check of candidates."""
