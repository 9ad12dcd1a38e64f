"""Group optimiser: optimisers on functions of a few numbers, step by step."""
import torch

from reference.common import CLOSE, DTYPES, generator_for, widened

# The class and its options, by case.
QUADRATIC = {
    "sgd": ("SGD", {"lr": 0.1}),
    "sgd_momentum": ("SGD", {"lr": 0.1, "momentum": 0.9}),
    "sgd_dampening": ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5}),
    "sgd_weight_decay": ("SGD", {"lr": 0.1, "weight_decay": 0.05}),
    "sgd_nesterov": ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    "sgd_nesterov_decay": (
        "SGD",
        {"lr": 0.05, "momentum": 0.8, "weight_decay": 0.02, "nesterov": True},
    ),
    "sgd_maximize": ("SGD", {"lr": 0.01, "maximize": True}),
    "sgd_all": (
        "SGD",
        {
            "lr": 0.05,
            "momentum": 0.8,
            "dampening": 0.1,
            "weight_decay": 0.02,
            "maximize": True,
        },
    ),
}
ADAM = {
    "plain": {"lr": 0.08},
    "decay": {"lr": 0.05, "betas": (0.7, 0.9), "eps": 1e-5, "weight_decay": 0.2},
    "amsgrad": {"lr": 0.08, "amsgrad": True},
    "maximize": {"lr": 0.02, "maximize": True},
    "all": {
        "lr": 0.03,
        "betas": (0.6, 0.95),
        "eps": 1e-4,
        "weight_decay": 0.05,
        "amsgrad": True,
        "maximize": True,
    },
}
for name, options in ADAM.items():
    QUADRATIC["adam_" + name] = ("Adam", options)
    QUADRATIC["adamw_" + name] = ("AdamW", options)

# What is done to gradients and learning rate from step to step, by case.
MOVED = {
    "sgd_clip_step": (
        "SGD",
        {"lr": 0.2, "momentum": 0.7},
        {"max_norm": 0.8, "schedule": "step", "step_size": 3, "gamma": 0.5},
    ),
    "adamw_clip_cosine": (
        "AdamW",
        {"lr": 0.1, "weight_decay": 0.1},
        {"max_norm": 0.5, "schedule": "cosine", "schedule_steps": 9, "min_lr": 0.01},
    ),
}


def hyperparameters(options, prefix="hp."):
    """As the attributes of a case."""
    return {prefix + name: value for name, value in options.items()}


def scheduler(optimiser, options):
    if options["schedule"] == "step":
        return torch.optim.lr_scheduler.StepLR(
            optimiser, options["step_size"], options["gamma"]
        )
    return torch.optim.lr_scheduler.CosineAnnealingLR(
        optimiser, options["schedule_steps"], options["min_lr"]
    )


def on_quadratic(a, b, x0, kind, hyperparameters, steps, moved):
    """f(x) = x'Ax / 2 - b'x"""
    x = x0.clone().requires_grad_(True)
    optimiser = getattr(torch.optim, kind)([x], **hyperparameters)
    schedule = moved and scheduler(optimiser, moved)
    rows = {"x": [x0.clone()], "grad": [], "loss": []}
    for _ in range(steps):
        optimiser.zero_grad()
        loss = 0.5 * (x @ (a @ x)) - b @ x
        loss.backward()
        rows["loss"].append(loss.detach())
        if moved:
            norm = torch.nn.utils.clip_grad_norm_([x], moved["max_norm"])
            rows.setdefault("norm", []).append(norm)
            rate = torch.tensor(optimiser.param_groups[0]["lr"], dtype=x.dtype)
            rows.setdefault("lr", []).append(rate)
        rows["grad"].append(x.grad.clone())
        optimiser.step()
        if moved:
            schedule.step()
        rows["x"].append(x.detach().clone())
        for name, value in optimiser.state[x].items():
            if torch.is_tensor(value) and value.shape == x.shape:
                rows.setdefault("state." + name, []).append(value.clone())
    return {"step." + name: torch.stack(values) for name, values in rows.items()}


def on_two_groups(p0, q0, hyperparameters, of_q, steps):
    """f(p, q) = sum(p^2) (1 + sum(q^2)) + sum(q)"""
    p, q = p0.clone().requires_grad_(True), q0.clone().requires_grad_(True)
    groups = [{"params": [p]}, {"params": [q], **of_q}]
    optimiser = torch.optim.SGD(groups, **hyperparameters)
    rows = {"p": [p0.clone()], "q": [q0.clone()], "loss": []}
    for _ in range(steps):
        optimiser.zero_grad()
        loss = (p**2).sum() * (1 + (q**2).sum()) + q.sum()
        loss.backward()
        optimiser.step()
        rows["loss"].append(loss.detach())
        rows["p"].append(p.detach().clone())
        rows["q"].append(q.detach().clone())
    return {"step." + name: torch.stack(values) for name, values in rows.items()}


def add_case(cases, name, dtype, run, inputs, attributes):
    found = run(**inputs)
    tolerance = CLOSE[dtype]
    if dtype == "f32":
        exact = run(**{key: value.double() for key, value in inputs.items()})
        tolerance = widened(tolerance, found, exact)
    found.update({"in." + key: value for key, value in inputs.items()})
    cases.add("optim_" + name, "optimiser", dtype, found, attributes, tolerance)


def add_to(cases):
    source = generator_for("optimiser")
    normal = lambda *shape: torch.randn(shape, generator=source, dtype=torch.float64)
    r = normal(4, 4)
    a, b, x0 = r @ r.t() / 4 + torch.eye(4, dtype=torch.float64), normal(4), normal(4)
    p, q = normal(2, 3), normal(4)
    for dtype, t in DTYPES.items():
        plain = {name: (*row, {}) for name, row in QUADRATIC.items()}
        for name, (kind, options, moved) in {**plain, **MOVED}.items():
            add_case(
                cases,
                name,
                dtype,
                lambda A, b, x0: on_quadratic(A, b, x0, kind, options, 10, moved),
                {"A": a.to(t), "b": b.to(t), "x0": x0.to(t)},
                {
                    "class": kind,
                    "steps": 10,
                    **hyperparameters(options),
                    **moved,
                },
            )
        common, of_q = {"lr": 0.1, "momentum": 0.5}, {"lr": 0.02, "weight_decay": 0.1}
        add_case(
            cases,
            "sgd_groups",
            dtype,
            lambda p, q: on_two_groups(p, q, common, of_q, 6),
            {"p": p.to(t), "q": q.to(t)},
            {
                "class": "SGD",
                "steps": 6,
                **hyperparameters(common),
                **hyperparameters(of_q, "hp.q."),
            },
        )
