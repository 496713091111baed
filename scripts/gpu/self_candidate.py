"""Makes a candidate that is the reference itself, with a token kernel of its own: its true speedup is 1.

python3 scripts/gpu/self_candidate.py problems/level2/L2_076_Gemm_Add_ReLU.py > self.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TOKEN = """

@triton.jit
def token_kernel(token_ptr):
    tl.store(token_ptr, 1.0)


class ModelNew(Reference):
    def __init__(self, *args):
        super().__init__(*args)
        self.register_buffer("token", torch.zeros(1), persistent=False)

    def forward(self, *inputs):
        outputs = super().forward(*inputs)
        token_kernel[(1,)](self.token)  # last: launching it from Python costs tens of microseconds, hidden here
        return outputs
"""


def self_candidate(source: str) -> str:
    source = re.sub(r"\bModel\b", "Reference", source)
    source = re.sub(r"\ndef get_(init_)?inputs\(.*?(?=\n\S|\Z)", "\n", source, flags=re.DOTALL)
    return "import triton\nimport triton.language as tl\n" + source.rstrip() + "\n" + TOKEN


if __name__ == "__main__":
    sys.stdout.write(self_candidate(Path(sys.argv[1]).read_text(encoding="utf-8")))
