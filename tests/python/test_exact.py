"""The float64 oracle's arithmetic."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from kbeval_harness.exact import ErrorSum, exact_outputs  # noqa: E402


def errors(actual: list[float], exact: list[float]) -> ErrorSum:
    total = ErrorSum()
    total.add(torch.tensor(actual), torch.tensor(exact, dtype=torch.float64))
    return total


def test_largest_error_and_sum_of_squares() -> None:
    total = errors([1.0, 2.5, -3.0], [1.0, 2.0, -3.25])
    assert (total.max_abs, total.sum_squares, total.numel) == (0.5, 0.25 + 0.0625, 3)
    total.add(torch.tensor([7.0]), torch.tensor([8.0], dtype=torch.float64))
    assert (total.max_abs, total.numel) == (1.0, 4)


def test_values_that_are_no_numbers() -> None:
    nan, inf = math.nan, math.inf
    assert errors([nan, inf, -inf], [nan, inf, -inf]).max_abs == 0
    for actual, exact in ((nan, 1.0), (1.0, nan), (inf, -inf), (1.0, inf)):
        assert errors([actual], [exact]).max_abs == inf


def test_rounding_of_float32_is_seen() -> None:
    exact = torch.tensor([0.1], dtype=torch.float64)
    total = ErrorSum()
    total.add(exact.float(), exact)
    assert 0 < total.max_abs < 1e-8


def test_indices_have_no_error() -> None:
    total = ErrorSum()
    total.add(torch.tensor([1, 2]), torch.tensor([3, 4]))
    assert (total.max_abs, total.numel) == (0.0, 0)


def test_the_model_computes_in_float64_and_the_default_is_restored() -> None:
    class Model(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(300, 4)

        def forward(self, x, index):  # type: ignore[no-untyped-def]
            return self.linear(x) + torch.zeros(4), index

    model = Model()
    x = torch.rand(5, 300)
    truth = x.double() @ model.linear.weight.double().T + model.linear.bias.double()
    out, index = exact_outputs(model, [x, torch.tensor([3])])
    assert out.dtype == torch.float64
    assert torch.allclose(out, truth, rtol=1e-12, atol=1e-12)
    assert index.dtype == torch.int64
    assert torch.get_default_dtype() == torch.float32


def test_the_default_is_restored_after_a_failure() -> None:
    class Model(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x):  # type: ignore[no-untyped-def]
            raise ValueError("only float32")

    with pytest.raises(ValueError, match="only float32"):
        exact_outputs(Model(), [torch.rand(2)])
    assert torch.get_default_dtype() == torch.float32
