"""Groups nw_data, nw_nonparametric, nw_parametric: the kernel-regression tutorial."""
import torch
from torch import nn

from reference.common import CLOSE, DTYPES, default_dtype, record, widened

RECIPE = (
    "torch.manual_seed(seed); x_train = sort(rand(n) * 5); y_train = 2 sin(x_train) + "
    "x_train**0.8 + normal(0, 0.5, (n,)); x_test = arange(0, 5, 0.1)"
)


def true_curve(x):
    return 2 * torch.sin(x) + x**0.8


def draw(seed, n):
    torch.manual_seed(seed)
    data = {"uniform": torch.rand(n)}
    data["x_train"], data["order"] = torch.sort(data["uniform"] * 5)
    data["f_train"] = true_curve(data["x_train"])
    data["noise"] = torch.normal(0.0, 0.5, (n,))
    data["y_train"] = data["f_train"] + data["noise"]
    data["x_test"] = torch.arange(0, 5, 0.1)
    data["y_truth"] = true_curve(data["x_test"])
    return data


def data_case(cases, dtype, seed, n):
    data = {"out." + name: value for name, value in draw(seed, n).items()}
    attributes = {"seed": seed, "n_train": n}
    name = f"nw_data_seed{seed}_{n}"
    cases.add(name, "nw_data", dtype, data, attributes, CLOSE[dtype], recipe=RECIPE)


def pooling_case(cases, dtype, seed, n):
    data = draw(seed, n)

    def pool(i):
        distances = i["x_test"].unsqueeze(1) - i["x_train"]
        weights = torch.softmax(-(distances**2) / 2, dim=1)
        average = i["y_train"].mean().expand(i["x_test"].shape)
        return {"y": weights @ i["y_train"], "weights": weights, "average": average}

    record(
        cases,
        f"nw_nonparametric_seed{seed}_{n}",
        "nw_nonparametric",
        dtype,
        {name: data[name] for name in ("x_test", "x_train", "y_train")},
        pool,
        ["y", "average"],
        {"seed": seed, "n_train": n},
        recipe=RECIPE,
    )


class Kernel(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.rand(1))

    def forward(self, queries, keys, values):
        distances = queries.unsqueeze(1) - keys
        self.weights = torch.softmax(-((distances * self.w) ** 2) / 2, dim=1)
        return torch.bmm(self.weights.unsqueeze(1), values.unsqueeze(-1)).reshape(-1)


def all_but_own(x):
    n = x.numel()
    return x.repeat(n, 1)[~torch.eye(n, dtype=torch.bool)].reshape(n, n - 1)


def trained(w, x_train, y_train, x_test, epochs, lr):
    kernel = Kernel().to(w.dtype)
    kernel.w.data = w.clone()
    keys, values = all_but_own(x_train), all_but_own(y_train)
    optimiser = torch.optim.SGD(kernel.parameters(), lr=lr)
    steps = {name: [] for name in ("w_before", "w_after", "grad_w", "loss", "y_hat")}
    for _ in range(epochs):
        optimiser.zero_grad()
        steps["w_before"].append(kernel.w.detach().clone())
        y_hat = kernel(x_train, keys, values)
        loss = nn.functional.mse_loss(y_hat, y_train, reduction="none").sum()
        loss.backward()
        optimiser.step()
        steps["loss"].append(loss.detach().reshape(1))
        steps["grad_w"].append(kernel.w.grad.clone())
        steps["w_after"].append(kernel.w.detach().clone())
        steps["y_hat"].append(y_hat.detach())
    found = {
        "step." + name: torch.stack(rows) if name == "y_hat" else torch.cat(rows)
        for name, rows in steps.items()
    }
    with torch.no_grad():
        queries = x_test.numel()
        found["out.y_hat"] = kernel(
            x_test, x_train.repeat(queries, 1), y_train.repeat(queries, 1)
        )
    found["out.weights"] = kernel.weights
    return {**found, "out.keys": keys, "out.values": values}


def training_case(cases, dtype, seed, n, epochs, lr):
    data = draw(seed, n)
    start = [torch.rand(1), data["x_train"], data["y_train"], data["x_test"]]
    found = trained(*start, epochs, lr)
    tolerance = CLOSE["f64"]
    if dtype == "f32":
        exact = trained(*(x.double() for x in start), epochs, lr)
        tolerance = widened((5e-5, 1e-5), found, exact)
    for name, value in zip(("w", "x_train", "y_train", "x_test"), start):
        found["in." + name] = value
    cases.add(
        f"nw_parametric_seed{seed}_{n}_{epochs}epochs",
        "nw_parametric",
        dtype,
        found,
        {"seed": seed, "n_train": n, "epochs": epochs, "lr": lr},
        tolerance,
        recipe=RECIPE + "; w = rand(1)",
    )


def add_to(cases):
    for family, runs in [
        (data_case, [(0, 50), (3, 12)]),
        (pooling_case, [(0, 50), (3, 12)]),
        (
            training_case,
            [(0, 50, 5, 0.5), (1, 20, 5, 0.5), (2, 9, 5, 0.3), (0, 20, 50, 0.5)],
        ),
    ]:
        for run in runs:
            for dtype in DTYPES:
                with default_dtype(dtype):
                    family(cases, dtype, *run)
