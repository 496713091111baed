"""The Python side of kbeval: everything that runs beside the C++ orchestrator."""
