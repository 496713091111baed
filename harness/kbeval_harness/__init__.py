"""The Python side of kbeval: it runs references and candidates, and judges them."""
