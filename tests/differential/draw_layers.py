"""How the inputs and arguments of layers and of attention are drawn: see draw_args.py."""


def layer_norm(parameters):
    def drawn(d):
        a = d.ranked(empty=False)
        shape = d.shape(a)[-d.choice([1, 1, 2]) :]
        found = {name: d.fitting(shape) for name in parameters}
        shape = (*shape[:-1], shape[-1] + d.wrong())
        eps = d.choice([1e-5, 1e-2, 0.5])
        return {"a": a, "normalized_shape": shape, **found, "eps": eps}

    return drawn


def layer_norm_rows(d):
    a = d.ranked(empty=False)
    return {"a": a, "w": d.fitting(d.shape(a)[-1:]), "eps": d.choice([1e-5, 0.5])}


def embedding(d):
    w = d.value(lambda shape: len(shape) == 2 and shape[0] > 0)
    rows = d.shape(w)[0]
    padding = d.signed(d.integer(0, rows - 1), rows) if d.flag() else None
    ids = d.whole(d.new_shape()[:2], rows)
    return {"w": w, "ids": ids, "padding_idx": padding}


def loss(d):
    a = d.value()
    b = d.fitting(d.shape(a))
    return {"a": a, "b": b, "reduction": d.choice(["none", "mean", "sum"])}


def classes(d):
    """Logits (classes), (n, classes) or (n, classes, ...), and a target per group."""
    a = d.value(lambda shape: shape and shape[1 if len(shape) > 1 else 0] > 0)
    shape = list(d.shape(a))
    ignore = d.choice([-100, -100, 0, 1])
    target = d.whole(shape[:1] + shape[2:] if len(shape) > 1 else (), shape[:2][-1])
    return a, {
        "target": target,
        "reduction": d.choice(["none", "mean", "sum"]),
        "ignore_index": ignore,
    }


def nll_loss(d):
    a, rest = classes(d)
    return {"log_probabilities": a, **rest}


def cross_entropy(d):
    a, rest = classes(d)
    return {"a": a, **rest, "label_smoothing": d.choice([0.0, 0.0, 0.1, 1.0])}


# --- attention


def attention(d):
    q = d.finite(lambda shape: len(shape) in (2, 3, 4) and 0 not in shape)
    *batch, _, features = d.shape(q)
    keys = d.new_size() or 1
    k = d.finite_fitting((*batch, keys, features))
    v = d.finite_fitting((*batch, keys, d.new_size() or 1))
    return {"q": q, "k": k, "v": v, "scale": d.choice([1.0, 0.5, 0.25])}


def attention_lens(d):
    found = attention(d)
    rows, keys = d.shape(found["q"])[:-1], d.shape(found["k"])[-2]
    shape = d.repeated(rows)
    return {**found, "lens": d.whole(shape, keys + 2)}


def attention_keep(d):
    found = attention(d)
    shape = (*d.shape(found["q"])[:-1], d.shape(found["k"])[-2])
    return {**found, "keep": d.mask(d.narrowed(shape))}


def attention_bias(d):
    found = attention(d)
    shape = (*d.shape(found["q"])[:-1], d.shape(found["k"])[-2])
    return {**found, "bias": d.constant(d.narrowed(shape))}


def attention_causal(d):
    return {**attention(d), "align": d.choice(["top_left", "bottom_right"])}


def attention_heads(d):
    q = d.finite(lambda shape: len(shape) == 3 and 0 not in shape)
    batch, _, features = d.shape(q)
    heads = d.divisor(features)
    keys = d.new_size() or 1
    k = d.finite_fitting((batch, keys, features))
    v = d.finite_fitting((batch, keys, heads * d.integer(1, 2)))
    lens = d.whole((batch,), keys + 2)
    return {"q": q, "k": k, "v": v, "heads": heads, "lens": lens}


def masked_softmax(d):
    a = d.finite(lambda shape: len(shape) in (2, 3, 4))
    return {"a": a, "keep": d.mask(d.narrowed(d.shape(a)))}


def split_heads(d):
    a = d.value(lambda shape: len(shape) == 3 and shape[-1] > 0)
    return {"a": a, "heads": d.divisor(d.shape(a)[-1]) + d.wrong() * 7}


def join_heads(d):
    return {"a": d.value(lambda shape: len(shape) == 4)}


def additive_scores(d):
    # Finite: heed leaves out a pair whose gradient is 0, where PyTorch gets NaN from NaN.
    q = d.finite(lambda shape: len(shape) in (2, 3))
    *batch, _, hidden = d.shape(q)
    k = d.finite_fitting((*batch, d.new_size(), hidden))
    return {"q": q, "k": k, "w": d.finite_fitting((hidden,))}


def gaussian_weights(d):
    k = d.value(lambda shape: len(shape) == 2)
    w = d.fitting(d.choice([(), (1,)]))
    return {"q": d.fitting(d.shape(k)[:1]), "k": k, "w": w}


def gaussian_attention(d):
    found = gaussian_weights(d)
    return {**found, "v": d.finite_fitting(d.shape(found["k"]))}
