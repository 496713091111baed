"""What kbeval does with problem files besides judging: tracing, comparing with recorded facts, counting costs."""
