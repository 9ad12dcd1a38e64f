"""Rows of the table (table.py): views, joining, indexing."""

import draw_args as draw


def views(row):
    row("reshape", "{a}.reshape({shape})", "reshape({a}, {shape})", draw.reshape)
    row("view", "{a}.view({shape})", "view({a}, {shape})", draw.reshape)
    row(
        "flatten",
        "{a}.flatten({start}, {end})",
        "flatten({a}, {start}, {end})",
        draw.flatten,
    )
    row(
        "transpose",
        "{a}.transpose(*{dims})",
        "transpose({a}, {dims[0]}, {dims[1]})",
        draw.transpose,
    )
    row(
        "swapaxes",
        "{a}.swapaxes(*{dims})",
        "swapaxes({a}, {dims[0]}, {dims[1]})",
        draw.transpose,
    )
    row("ravel", "{a}.ravel()", "ravel({a})", draw.value)
    call = "roll({a}, {shift})"
    row("roll_flat", "torch." + call, call, draw.value_and(shift=-2))
    row("permute", "{a}.permute({dims})", "permute({a}, {dims})", draw.permute)
    row("expand", "{a}.expand({shape})", "expand({a}, {shape})", draw.expand)
    row("squeeze", "{a}.squeeze()", "squeeze({a})", draw.value)
    row(
        "squeeze_dim",
        "{a}.squeeze({dim})",
        "squeeze({a}, {dim})",
        draw.along,
        op="squeeze",
    )
    row("unsqueeze", "{a}.unsqueeze({dim})", "unsqueeze({a}, {dim})", draw.unsqueeze)
    row(
        "slice",
        "torch.ops.aten.slice({a}, {dim}, {start}, {end}, {step})",
        "slice({a}, {dim}, {start}, {end}, {step})",
        draw.slice,
    )
    row(
        "select", "{a}.select({dim}, {index})", "select({a}, {dim}, {index})", draw.select
    )
    row("split", "{a}.split({size}, {dim})", "split({a}, {size}, {dim})", draw.split)
    row(
        "split_with_sizes",
        "{a}.split_with_sizes({sizes}, {dim})",
        "split_with_sizes({a}, {sizes}, {dim})",
        draw.split_with_sizes,
        op="split",
    )
    row("chunk", "{a}.chunk({chunks}, {dim})", "chunk({a}, {chunks}, {dim})", draw.chunk)


def joining(row):
    for count in (2, 3):
        parts = ", ".join(["{a}", "{b}", "{c}"][:count])
        for name in ("cat", "stack"):
            row(
                f"{name}{count}",
                f"torch.{name}([{parts}], {{dim}})",
                f"{name}({{{{{parts}}}}}, {{dim}})",
                getattr(draw, f"{name}_{count}"),
                op=name,
            )
    row("repeat", "{a}.repeat({repeats})", "repeat({a}, {repeats})", draw.repeat)
    name = "repeat_interleave"
    row(
        "interleave",
        f"{{a}}.{name}({{repeats}})",
        f"{name}({{a}}, {{repeats}})",
        draw.interleave,
        op=name,
    )
    call = f"{{a}}.{name}({{repeats}}, {{dim}})"
    heed = f"{name}({{a}}, {{repeats}}, {{dim}})"
    row("interleave_dim", call, heed, draw.interleave_dim, op=name)
    row("interleave_counts", call, heed, draw.interleave_counts, op=name)
    row("roll", "{a}.roll({shift}, {dim})", "roll({a}, {shift}, {dim})", draw.roll)
    row("flip", "{a}.flip({dim})", "flip({a}, {dim})", draw.flip)


def indexing(row):
    row(
        "index_select",
        "{a}.index_select({dim}, {index})",
        "index_select({a}, {dim}, {index})",
        draw.index_select,
    )
    row(
        "gather", "{a}.gather({dim}, {index})", "gather({a}, {dim}, {index})", draw.gather
    )
    row(
        "masked_select",
        "{a}.masked_select({mask})",
        "masked_select({a}, {mask})",
        draw.masked_select,
    )
    zeros = "torch.zeros({shape}, dtype=torch.float64)"
    for name in ("index_add", "scatter_add"):
        row(
            name,
            f"{zeros}.{name}({{dim}}, {{index}}, {{a}})",
            f"{name}({{shape}}, {{dim}}, {{index}}, {{a}})",
            getattr(draw, name),
        )
    row(
        "masked_scatter",
        zeros + ".masked_scatter({mask}, {a})",
        "masked_scatter({shape}, {mask}, {a})",
        draw.masked_scatter,
    )
    row(
        "slice_scatter",
        f"slice_scatter({zeros}, {{a}}, {{dim}}, {{start}}, {{step}})",
        "slice_scatter({shape}, {a}, {dim}, {start}, {step})",
        draw.slice_scatter,
    )
    row(
        "select_scatter",
        zeros + ".select_scatter({a}, {dim}, {index})",
        "select_scatter({shape}, {a}, {dim}, {index})",
        draw.select_scatter,
    )
    for name in ("triu", "tril"):
        call = f"{name}({{a}}, {{diagonal}})"
        row(name, "torch." + call, call, draw.triangle)
    row("diagonal", "torch.diagonal({a})", "diagonal({a})", draw.matrix)


def add_rows(row):
    for family in (views, joining, indexing):
        family(row)
