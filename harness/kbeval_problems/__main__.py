"""``python -m kbeval_problems`` is the worker; see worker.py."""

from .worker import main

raise SystemExit(main())
