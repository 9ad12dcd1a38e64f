"""Groups rng, init and dropout: what PyTorch draws after a seed."""
import torch
from torch import nn

from reference.common import DTYPES, EXACT, LIBRARY

SEEDS = [0, 1, 42, 1234]
# Around the sizes where the way of drawing normals changes.
SIZES = [1, 2, 7, 15, 16, 17, 32, 33, 50]
LONG = (0, 1000)

# kind -> (recipe, what draws n elements, whether the double numbers pass through the
# C library)
KINDS = {
    "rand": ("torch.rand(n)", lambda n, t: torch.rand(n, dtype=t), False),
    "randn": ("torch.randn(n)", lambda n, t: torch.randn(n, dtype=t), True),
    "uniform": (
        "torch.empty(n).uniform_(-0.1, 0.3)",
        lambda n, t: torch.empty(n, dtype=t).uniform_(-0.1, 0.3),
        False,
    ),
    "normal": (
        "torch.normal(1.5, 0.5, (n,))",
        lambda n, t: torch.normal(1.5, 0.5, (n,), dtype=t),
        True,
    ),
    "normal_strided": (
        "torch.empty(2 * n)[::2].normal_(0.25, 1.5)",
        lambda n, t: torch.empty(2 * n, dtype=t)[::2].normal_(0.25, 1.5),
        True,
    ),
    "bernoulli": (
        "torch.empty(n).bernoulli_(0.3)",
        lambda n, t: torch.empty(n, dtype=t).bernoulli_(0.3),
        False,
    ),
    "bernoulli_tensor": (
        "torch.bernoulli(torch.full((n,), 0.3))",
        lambda n, t: torch.bernoulli(torch.full((n,), 0.3, dtype=t)),
        False,
    ),
    "exponential": (
        "torch.empty(n).exponential_(1.5)",
        lambda n, t: torch.empty(n, dtype=t).exponential_(1.5),
        True,
    ),
}

INTEGERS = {
    "randint": (
        "torch.randint(-5, 50257, (n,))",
        lambda n: torch.randint(-5, 50257, (n,)),
    ),
    "randint_wide": (
        "torch.randint(3, 2**33 + 11, (n,))",
        lambda n: torch.randint(3, 2**33 + 11, (n,)),
    ),
    "random": (
        "torch.empty(n, dtype=torch.int64).random_()",
        lambda n: torch.empty(n, dtype=torch.int64).random_(),
    ),
    "randperm": ("torch.randperm(n)", torch.randperm),
}

# Up to 2^32 - 1 different numbers take one word of the generator, more take two. (Newer
# versions of PyTorch, 2.15 for one, take two from 2^28 on.)
WIDE = {
    "below_28_bits": (0, 2**28 - 1),
    "28_bits": (0, 2**28),
    "one_word": (0, 2**32 - 1),
    "two_words": (0, 2**32),
    "one_word_from_below_zero": (-(2**31), 2**31 - 1),
    "two_words_from_below_zero": (-(2**31), 2**31),
    "widest": (-(2**63), 2**63 - 1),
}

RANGES = {
    "tutorial": (0, 5, 0.1),
    "thirds": (-2, 2, 1 / 3),
    "offset": (1.3, 17.9, 0.37),
    "down": (10, 0, -0.7),
    "long": (0, 30, 0.1),
    "short": (0, 0.75, 0.1),
    "whole": (0, 40, 1),
}


def seeded(seed, draw):
    torch.manual_seed(seed)
    return draw()


def streams(cases, dtype):
    t = DTYPES[dtype]
    attributes = {"seeds": SEEDS, "sizes": SIZES}
    for kind, (recipe, draw, library) in KINDS.items():
        runs = [(seed, n) for seed in SEEDS for n in SIZES] + [LONG]
        tensors = {
            f"out.seed{seed}.n{n}": seeded(seed, lambda: draw(n, t)) for seed, n in runs
        }
        tolerance = LIBRARY if library and dtype == "f64" else EXACT
        cases.add(
            "rng_" + kind,
            "rng",
            dtype,
            tensors,
            {**attributes, "kind": kind},
            tolerance,
            recipe="torch.manual_seed(S); " + recipe,
        )

    def mixed():
        return torch.cat(
            [
                torch.randn(3, dtype=t),
                torch.rand(2, dtype=t),
                torch.randn(1, dtype=t),
                torch.randn(16, dtype=t),
                torch.randn(2, dtype=t),
                torch.empty(3, dtype=t).bernoulli_(0.5),
                torch.randn(1, dtype=t),
            ]
        )

    cases.add(
        "rng_mixed",
        "rng",
        dtype,
        {f"out.seed{seed}": seeded(seed, mixed) for seed in SEEDS},
        {"seeds": SEEDS},
        LIBRARY if dtype == "f64" else EXACT,
        recipe="torch.manual_seed(S); randn(3), rand(2), randn(1), randn(16), randn(2), "
        "empty(3).bernoulli_(0.5), randn(1)",
    )
    cases.add(
        "arange",
        "rng",
        dtype,
        {"out." + name: torch.arange(*call, dtype=t) for name, call in RANGES.items()},
        {"call." + name: call for name, call in RANGES.items()},
        EXACT,
    )


def wide_integers():
    """As INTEGERS, for the ranges of WIDE."""
    kinds = {}
    for name, (low, high) in WIDE.items():
        kinds["randint_" + name] = (
            f"torch.randint({low}, {high}, (n,))",
            lambda n, low=low, high=high: torch.randint(low, high, (n,)),
        )
        kinds["random_" + name] = (
            f"torch.empty(n, dtype=torch.int64).random_({low}, {high})",
            lambda n, low=low, high=high: torch.empty(n, dtype=torch.int64).random_(
                low, high
            ),
        )
    return kinds


def integers(cases, case, kinds, seeds, sizes):
    cases.add(
        case,
        "rng",
        "f64",
        {
            f"out.{kind}.seed{seed}.n{n}": seeded(seed, lambda: draw(n))
            for kind, (_, draw) in kinds.items()
            for seed in seeds
            for n in sizes
        },
        {
            "seeds": seeds,
            "sizes": sizes,
            **{"kind." + kind: text for kind, (text, _) in kinds.items()},
        },
        EXACT,
        recipe="torch.manual_seed(S); attr.kind.KIND",
    )


def initial_values(cases, dtype):
    t = DTYPES[dtype]
    tensors = {}
    for inputs, outputs in [(7, 5), (33, 4)]:
        wide, tall = f"{inputs}x{outputs}", f"{outputs}x{inputs}"
        w = lambda: torch.empty(outputs, inputs, dtype=t)
        filled = {
            "embedding": lambda: nn.Embedding(outputs, inputs, dtype=t).weight,
            "embedding_padded": lambda: nn.Embedding(
                outputs, inputs, padding_idx=0, dtype=t
            ).weight,
            "xavier_uniform": lambda: nn.init.xavier_uniform_(w(), gain=1.25),
            "xavier_normal": lambda: nn.init.xavier_normal_(w()),
            "kaiming_uniform": lambda: nn.init.kaiming_uniform_(w(), nonlinearity="relu"),
            "normal_0.02": lambda: nn.init.normal_(w(), 0.0, 0.02),
        }
        for seed in [0, 1234]:
            for kind, draw in filled.items():
                tensors[f"out.{kind}.seed{seed}.{tall}.weight"] = seeded(seed, draw)
            linear = seeded(seed, lambda: nn.Linear(inputs, outputs, dtype=t))
            tensors[f"out.linear.seed{seed}.{wide}.weight"] = linear.weight
            tensors[f"out.linear.seed{seed}.{wide}.bias"] = linear.bias
            torch.manual_seed(seed)
            nn.Linear(inputs, outputs, bias=False, dtype=t)
            second = nn.Linear(outputs, inputs, dtype=t)
            tensors[f"out.two_linears.seed{seed}.{wide}.second_weight"] = second.weight
        norm = nn.LayerNorm(inputs, dtype=t)
        tensors[f"out.layer_norm.{inputs}.weight"] = norm.weight
        tensors[f"out.layer_norm.{inputs}.bias"] = norm.bias
    tolerance = LIBRARY if dtype == "f64" else EXACT
    cases.add("init_modules", "init", dtype, tensors, {"seeds": [0, 1234]}, tolerance)


def masks(cases, dtype):
    t = DTYPES[dtype]
    tensors = {}
    for seed in [0, 42]:
        for n in [10, 200]:
            for p in [0.1, 0.5]:
                key = f"seed{seed}.n{n}.p{p}"
                torch.manual_seed(seed)
                y = nn.functional.dropout(torch.ones(n, dtype=t), p)
                tensors["out." + key] = y
                tensors["out.mask." + key] = y != 0
                tensors["out.next_rand." + key] = torch.rand(1, dtype=t)
    recipe = "torch.manual_seed(S); F.dropout(torch.ones(N), P); torch.rand(1)"
    cases.add("dropout", "dropout", dtype, tensors, {}, EXACT, recipe=recipe)


def add_to(cases):
    for dtype in DTYPES:
        streams(cases, dtype)
    integers(cases, "rng_integers", INTEGERS, SEEDS, SIZES)
    integers(cases, "rng_wide_integers", wide_integers(), [0, 42], [9])
    for dtype in DTYPES:
        initial_values(cases, dtype)
    for dtype in DTYPES:
        masks(cases, dtype)
