"""Rows of the table (table.py): layers, losses, attention."""

import draw_layers as draw


def layers(row):
    given = "{a}, {normalized_shape}, {w}, {b}, {eps}"
    row(
        "layer_norm",
        f"F.layer_norm({given})",
        f"nn::layer_norm({given})",
        draw.layer_norm("wb"),
    )
    row(
        "layer_norm_weight",
        "F.layer_norm({a}, {normalized_shape}, {w}, None, {eps})",
        "nn::layer_norm({a}, {normalized_shape}, {w}, {eps})",
        draw.layer_norm("w"),
        op="layer_norm",
    )
    row(
        "layer_norm_plain",
        "F.layer_norm({a}, {normalized_shape}, eps={eps})",
        "nn::layer_norm({a}, {normalized_shape}, {eps})",
        draw.layer_norm(""),
        op="layer_norm",
    )
    row(
        "layer_norm_rows",
        "F.layer_norm({a}, {a}.shape[-1:], {w}, None, {eps})",
        "layer_norm({a}, {w}, zeros({{0}}, float64), {eps})",
        draw.layer_norm_rows,
    )
    row(
        "embedding",
        "F.embedding({ids}, {w}, padding_idx={padding_idx})",
        "nn::embedding({w}, {ids}, {padding_idx})",
        draw.embedding,
    )
    for name in ("mse_loss", "l1_loss"):
        row(
            name,
            f"F.{name}({{a}}, {{b}}, reduction={{reduction}})",
            f"nn::{name}({{a}}, {{b}}, nn::Reduction::{{reduction}})",
            draw.loss,
        )
    row(
        "nll_loss",
        "F.nll_loss({log_probabilities}, {target}, reduction={reduction}, "
        "ignore_index={ignore_index})",
        "nn::nll_loss({log_probabilities}, {target}, {{.reduction = "
        "nn::Reduction::{reduction}, .ignore_index = {ignore_index}}})",
        draw.nll_loss,
    )
    row(
        "cross_entropy",
        "F.cross_entropy({a}, {target}, reduction={reduction}, "
        "ignore_index={ignore_index}, label_smoothing={label_smoothing})",
        "nn::cross_entropy({a}, {target}, {{.reduction = nn::Reduction::{reduction}, "
        ".ignore_index = {ignore_index}, .label_smoothing = {label_smoothing}}})",
        draw.cross_entropy,
    )


def attention(row):
    score = "nn::DotScore{{.scale = {scale}}}"
    keep = "nn::Mask::keep(unsqueeze({lens}, -1) > arange({k}.size(-2)))"
    row(
        "sdpa",
        "fused_attention({q}, {k}, {v}, {scale})",
        f"nn::attend({score}, {{q}}, {{k}}, {{v}}, {{{{}}}}, nn::Dropout(0))",
        draw.attention,
        op="scaled_dot_product_attention",
    )
    row(
        "sdpa_lens",
        "fused_attention({q}, {k}, {v}, {scale}, {lens})",
        f"nn::attend({score}, {{q}}, {{k}}, {{v}}, {keep}, nn::Dropout(0))",
        draw.attention_lens,
        op="scaled_dot_product_attention",
    )
    row(
        "composed_attention",
        "fused_attention({q}, {k}, {v}, {scale}, {lens})",
        f"nn::attention({score}, {{q}}, {{k}}, {{v}}, {keep}).output",
        draw.attention_lens,
    )
    heed = f"nn::attention({score}, {{q}}, {{k}}, {{v}}, nn::Mask::keep({{keep}}))"
    row(
        "attention",
        "attention({q}, {k}, {v}, {scale}, {keep})",
        heed,
        draw.attention_keep,
    )
    mask = "nn::Mask::additive({bias})"
    heed = f"nn::attend({score}, {{q}}, {{k}}, {{v}}, {mask}, nn::Dropout(0))"
    row(
        "attend_bias",
        "attention({q}, {k}, {v}, {scale}, None, {bias}).output",
        heed,
        draw.attention_bias,
        op="attend",
        tensors={"bias"},
    )
    mask = "nn::Mask::causal(nn::CausalAlign::{align})"
    heed = f"nn::attend({score}, {{q}}, {{k}}, {{v}}, {mask}, nn::Dropout(0))"
    row(
        "attend_causal",
        "causal_attention({q}, {k}, {v}, {scale}, {align})",
        heed,
        draw.attention_causal,
        op="attend",
    )
    heed = (
        "nn::attend_heads({q}, {k}, {v}, {heads}, nn::Mask::valid_lens({lens}), "
        "nn::Dropout(0))"
    )
    row(
        "attend_heads",
        "attend_heads({q}, {k}, {v}, {heads}, {lens})",
        heed,
        draw.attention_heads,
    )
    row(
        "masked_softmax",
        "softmax_of_kept({a}, {keep}.expand({a}.shape))",
        "nn::masked_softmax({a}, nn::Mask::keep({keep}))",
        draw.masked_softmax,
    )
    row(
        "split_heads",
        "heads_of({a}, {heads})",
        "nn::split_heads({a}, {heads})",
        draw.split_heads,
    )
    row(
        "join_heads",
        "{a}.transpose(1, 2).flatten(2)",
        "nn::join_heads({a})",
        draw.join_heads,
    )
    row(
        "additive_scores",
        "additive_scores({q}, {k}, {w})",
        "additive_scores({q}, {k}, {w})",
        draw.additive_scores,
    )
    score = "nn::GaussianScore{{{w}}}"
    query, key = "unsqueeze(unsqueeze({q}, -1), -1)", "unsqueeze({k}, -1)"
    row(
        "gaussian_weights",
        "gaussian_weights({q}, {k}, {w})",
        f"softmax(squeeze({score}({query}, {key}), -2), -1)",
        draw.gaussian_weights,
    )
    operands = f"{query}, {key}, unsqueeze({{v}}, -1)"
    row(
        "gaussian_attention",
        "gaussian_attention({q}, {k}, {v}, {w})",
        f"nn::attend({score}, {operands}, {{{{}}}}, nn::Dropout(0))",
        draw.gaussian_attention,
    )


def add_rows(row):
    for family in (layers, attention):
        family(row)
