"""Which side is off: errors of reference and candidate in fp32 against the reference in fp64.

    python3 scripts/gpu/oracle64.py PROBLEM.py CANDIDATE.py [SEED]

Runs both in one process without a sandbox: for candidates that are trusted. Prints one JSON object.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "harness"))
from kbeval_harness.policy import apply_numeric_policy
from kbeval_harness.problem_file import init_arguments, load_module, load_problem


def error(output: torch.Tensor, truth: torch.Tensor) -> dict[str, float]:
    distance = (output.double() - truth).abs()
    beyond = distance > 1e-4 + 1e-4 * truth.abs()
    return {"max_abs": distance.max().item(), "share_beyond_1e-4": beyond.double().mean().item()}


def main() -> None:
    problem_file, candidate_file = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    apply_numeric_policy()
    torch.set_grad_enabled(False)
    problem = load_problem(Path(problem_file).read_text(), problem_file, {})
    candidate = load_module("candidate", Path(candidate_file).read_text(), candidate_file)
    arguments = init_arguments(problem)
    torch.manual_seed(seed)
    reference = problem.Model(*arguments).cuda()
    new = candidate.ModelNew(*arguments).cuda()
    new.load_state_dict(reference.state_dict(), strict=False)
    with torch.device("cuda"):
        inputs = problem.get_inputs()
    expected, actual = reference(*inputs), new(*inputs)
    exact = problem.Model(*arguments).cuda()
    exact.load_state_dict(reference.state_dict())
    exact.double()
    truth = exact(*[x.double() if torch.is_tensor(x) and x.is_floating_point() else x for x in inputs])
    print(json.dumps({"reference": error(expected, truth), "candidate": error(actual, truth),
                      "between": error(actual, expected.double())}))  # fmt: skip


if __name__ == "__main__":
    main()
