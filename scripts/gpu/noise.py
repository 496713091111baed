"""Bursts of GEMMs on the GPU until killed: the second process that scripts/gpu/calibrate is to survive.

python3 scripts/gpu/noise.py [SECONDS BETWEEN BURSTS, default 2]
"""

from __future__ import annotations

import random
import sys
import time

import torch


def main() -> None:
    pause = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    x = torch.rand(4096, 4096, device="cuda") / 4096
    while True:
        for _ in range(random.randint(10, 60)):
            x = x @ x
        torch.cuda.synchronize()
        time.sleep(random.uniform(0.5, 1.5) * pause)


if __name__ == "__main__":
    main()
