"""Static check of candidates: reads the source, executes nothing, imports neither torch nor triton."""
