"""Group transformer: PyTorch's own attention, layers and stacks, batch_first=True."""
import math

import torch
from torch import nn

from reference.attention import JUST_BEFORE, kept, recipe
from reference.common import DTYPES, default_dtype, generator_for, record

BATCH, QUERIES, MEMORY = 2, 3, 5
D_MODEL, HEADS, WIDE = 4, 2, 3


def padding(lens, length):
    """True where a key does not count."""
    return None if lens is None else torch.arange(length) >= lens[:, None]


def causal_mask(causal, length):
    return torch.full((length, length), -math.inf).triu(1) if causal else None


def attention_outputs(module, i, causal):
    q, k, v = (i[name] for name in (["x"] * 3 if "x" in i else ["q", "k", "v"]))
    y, weights = module(
        q,
        k,
        v,
        attn_mask=causal_mask(causal, q.shape[1]),
        key_padding_mask=padding(i.get("lens"), k.shape[1]),
        average_attn_weights=False,
    )
    # In training these are the weights after dropout, which heed does not return.
    return {"y": y} if module.training else {"y": y, "weights": weights}


def encoder_outputs(module, i, causal):
    y = module(
        i["src"],
        causal_mask(causal, QUERIES),
        src_key_padding_mask=padding(i.get("src_lens"), QUERIES),
    )
    return {"y": y}


def decoder_outputs(module, i, causal):
    y = module(
        i["tgt"],
        i["memory"],
        tgt_mask=causal_mask(causal, QUERIES),
        tgt_key_padding_mask=padding(i.get("tgt_lens"), QUERIES),
        memory_key_padding_mask=padding(i.get("memory_lens"), MEMORY),
    )
    return {"y": y}


def attention(a):
    return nn.MultiheadAttention(
        D_MODEL, HEADS, a["dropout"], a["bias"], batch_first=True
    )


def layer(kind, a):
    return kind(
        D_MODEL,
        HEADS,
        WIDE,
        a["dropout"],
        a["activation"],
        a["layer_norm_eps"],
        batch_first=True,
        norm_first=a["norm_first"],
    )


def stack(kind, first, a):
    norm = nn.LayerNorm(D_MODEL) if a["final_norm"] else None
    return kind(first, a["num_layers"], norm)


def encoder_layer(a):
    return layer(nn.TransformerEncoderLayer, a)


def decoder_layer(a):
    return layer(nn.TransformerDecoderLayer, a)


def encoder(a):
    return stack(nn.TransformerEncoder, encoder_layer(a), a)


def decoder(a):
    return stack(nn.TransformerDecoder, decoder_layer(a), a)


# What makes the module, and what is computed with it.
MODULES = {
    "attention": (attention, attention_outputs),
    "encoder_layer": (encoder_layer, encoder_outputs),
    "decoder_layer": (decoder_layer, decoder_outputs),
    "encoder": (encoder, encoder_outputs),
    "decoder": (decoder, decoder_outputs),
}

# Of everything that a module passes through dropout, in this order.
SELF, CROSS = (BATCH, HEADS, QUERIES, QUERIES), (BATCH, HEADS, QUERIES, MEMORY)
ADDED, WITHIN = (BATCH, QUERIES, D_MODEL), (BATCH, QUERIES, WIDE)
DROPPED = {
    "attention": [SELF],
    "encoder_layer": [SELF, ADDED, WITHIN, ADDED],
    "decoder_layer": [SELF, ADDED, CROSS, ADDED, WITHIN, ADDED],
    "encoder": 2 * [SELF, ADDED, WITHIN, ADDED],
}


def lengths_of(names):
    memory = {"memory", "k", "v"}
    return {name: MEMORY if name in memory else QUERIES for name in names}


def case(cases, dtype, name, kind, names, lens=None, seed=None, **options):
    """names: of the inputs. lens: valid lengths by name. With a seed initial values and
    inputs are drawn from it, and the module is in training. Without one its parameters
    are far from the initial values: those hide which norm is which."""
    causal = options.pop("causal", False)
    attributes = {
        "module": kind,
        "d_model": D_MODEL,
        "nhead": HEADS,
        "causal": causal,
        "training": seed is not None,
        "dropout": 0.1,
        **options,
    }
    if kind != "attention":
        defaults = {"activation": "relu", "norm_first": False, "layer_norm_eps": 1e-5}
        attributes = {**defaults, "dim_feedforward": WIDE, **attributes}
    make, outputs = MODULES[kind]
    shapes = {n: (BATCH, length, D_MODEL) for n, length in lengths_of(names).items()}
    more = {}
    if seed is None:
        source = generator_for(name)
        draw = lambda shape: torch.randn(shape, generator=source)
        module = make(attributes).eval()
        inputs = {n: draw(shape) for n, shape in shapes.items()}
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(0.5 * draw(parameter.shape))
    else:
        attributes.update(seed=seed, dropout_seed=seed + 10)
        torch.manual_seed(seed)
        module = make(attributes)
        inputs = {n: torch.randn(shape) for n, shape in shapes.items()}
        each = " each" if len(names) > 1 else ""
        more["recipe"] = recipe(
            "the module",
            f"then {', '.join(names)} = randn{each}",
            dropout=JUST_BEFORE,
        )
        masks = kept(seed + 10, attributes["dropout"], *DROPPED[kind])
        more["buffers"] = {f"keep.{i}": mask for i, mask in enumerate(masks)}
        more["seed"] = seed + 10
    inputs.update({n: torch.tensor(values) for n, values in (lens or {}).items()})

    def compute(module, i):
        # Without gradients a module that is not in training takes other kernels.
        with torch.enable_grad():
            return outputs(module, i, causal)

    record(
        cases,
        name,
        "transformer",
        dtype,
        inputs,
        compute,
        ["y"],
        attributes,
        module=module,
        **more,
    )


def family(cases, dtype):
    add = lambda *row, **more: case(cases, dtype, *row, **more)
    cross, src, tgt = ["q", "k", "v"], ["src"], ["tgt", "memory"]
    drop = {"dropout": 0.3}
    pre, gelu = {"norm_first": True}, {"activation": "gelu"}

    add("packed_cross", "attention", cross, {"lens": [5, 2]}, bias=True)
    add("packed_drop", "attention", ["x"], bias=False, causal=True, seed=41, **drop)

    of = "encoder_layer"
    add("enc_post_relu", of, src, {"src_lens": [2, 3]}, causal=True)
    add("enc_pre_gelu", of, src, layer_norm_eps=0.01, **pre, **gelu)
    add("enc_post_gelu_drop", of, src, seed=42, **gelu, **drop)
    add("enc_pre_relu_drop", of, src, {"src_lens": [1, 3]}, seed=43, **pre, **drop)

    add("dec_post_relu_drop", "decoder_layer", tgt, causal=True, seed=44, **drop)

    two = {"num_layers": 2, **pre}
    add("encoder", "encoder", src, seed=45, final_norm=True, **two, **drop)
    lens = {"tgt_lens": [3, 2], "memory_lens": [5, 2]}
    more = {"causal": True, "final_norm": False, "layer_norm_eps": 0.01}
    add("decoder", "decoder", tgt, lens, **more, **two, **gelu)


def add_to(cases):
    for dtype in DTYPES:
        with default_dtype(dtype):
            family(cases, dtype)
