"""The rule that yields a problem's family, for the shipped problems and for imported ones.

A problem of level 3, and any other of many operators, is of the family that its name says where that is a recurrent
layer or a block built round attention (attention, GPT; Mamba, its dual); else `network` if it has convolutions; else
`attention` if its name says transformer, `matmul` if it multiplies matrices. Of any other problem the family is that
of the operator which the name says first (names list operators in order: Conv2d_ReLU_BiasAdd), and where the name says
none, that of the first call of forward() which belongs to one.
"""

from __future__ import annotations

import re
from typing import Any

# Family, what it is called in names, what it is called among calls. In order: where several patterns match at one
# place, the earlier wins.
_OPERATORS = [
    ("rnn", r"lstm|gru|rnn", r"lstm|gru|rnn"),
    ("attention", r"attention", r"scaled_dot_product|multi_head_attention"),
    ("conv_transpose", r"conv(olution)?_?transposed?|transposed_(conv)", r"conv_transpose[123]d"),
    ("conv", r"conv", r"conv[123]d"),
    (
        "loss",
        r"loss|entropy|kldiv",
        r"_loss|cross_entropy|kl_div|cosine_similarity|binary_cross_entropy",
    ),
    (
        "norm",
        r"(batch|layer|group|instance|rms|l1|l2|frobenius)_?norm|norm_|normalization",
        r"batch_norm|layer_norm|group_norm|instance_norm|rms_norm|\.norm\b|normalize",
    ),
    (
        "matmul",
        r"mat(rix_)?mul|matrix|gemm|bmm|linear",
        r"matmul|\bmm\b|bmm|addmm|linear|einsum|\bdot\b|\bmv\b",
    ),
    ("pooling", r"pool", r"(max|avg)_pool[123]d|adaptive_.*pool"),
    ("scan", r"cum(ulative|sum|prod)", r"cumsum|cumprod|cummax|cummin|logcumsumexp"),
    (
        "activation",
        r"relu|gelu|selu|elu|sigmoid|tanh|softmax|softplus|softsign|swish|silu|mish",
        r"relu|gelu|elu|sigmoid|tanh|softmax|softplus|softsign|silu|mish|clamp|logsigmoid",
    ),
    (
        "reduction",
        r"reduction|argmax|argmin",
        r"\.(sum|mean|max|min|argmax|argmin|prod|amax|amin|logsumexp|var|std|any|all)\b",
    ),
]
_IN_NAMES = [(family, re.compile(pattern, re.IGNORECASE)) for family, pattern, _ in _OPERATORS]
_AMONG_CALLS = [(family, re.compile(pattern)) for family, _, pattern in _OPERATORS]
_BLOCKS = [
    ("rnn", re.compile(r"lstm|gru|rnn", re.IGNORECASE)),
    ("attention", re.compile(r"attention|gpt|mamba", re.IGNORECASE)),
]
NETWORK_CALLS = 40  # more than a layer with its neighbours makes


def family_of(name: str, level: int, facts: dict[str, Any]) -> str:
    """A family's name; `other` where neither name nor calls say one."""
    calls = [call.partition("(")[0] for call in _flat(facts["forward_calls"])]
    if level == 3 or int(facts["forward_call_count"]) > NETWORK_CALLS:
        return _family_of_network(name, calls)
    said = [(m.start(), place, f) for place, (f, p) in enumerate(_IN_NAMES) if (m := p.search(name))]
    if said:
        return min(said)[2]
    for call in calls:
        for family, pattern in _AMONG_CALLS:
            if pattern.search(call):
                return family
    return "other"


def _family_of_network(name: str, calls: list[str]) -> str:
    for family, pattern in _BLOCKS:
        if pattern.search(name):
            return family
    among = dict(_AMONG_CALLS)
    if any(among["conv"].search(call) or among["conv_transpose"].search(call) for call in calls):
        return "network"
    if "transformer" in name.lower():
        return "attention"
    return "matmul" if any(among["matmul"].search(call) for call in calls) else "network"


def _flat(calls: list[Any]) -> list[str]:
    """All calls, those of grouped repeats once."""
    flat: list[str] = []
    for call in calls:
        flat += [call] if isinstance(call, str) else _flat(call["calls"])
    return flat
