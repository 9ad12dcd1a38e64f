"""Rows of the table of ops that move elements: views, joining, indexing, order."""
import torch


def a_of(*shape):
    return lambda d: {"a": d.normal(*shape)}


def views(t):
    cube = a_of(2, 3, 4)
    t.add("transpose", "transpose", cube, lambda i: i.a.transpose(0, 2), dims=[0, 2])
    t.add("permute", "permute", cube, lambda i: i.a.permute(2, 0, 1), dims=[2, 0, 1])
    t.add("reshape", "reshape", cube, lambda i: i.a.reshape(4, -1), shape=[4, -1])
    turned = lambda i: i.a.transpose(1, 2).reshape(2, -1)
    note = "after transpose(1, 2)"
    t.add("reshape_turned", "reshape", cube, turned, shape=[2, -1], note=note)
    layouts = {"a": "transposed:1,2"}
    flat = lambda i: i.a.reshape(4, -1)
    t.add("reshape_layout", "reshape", cube, flat, shape=[4, -1], layouts=layouts)
    joined = lambda i: i.a.flatten(1, 2)
    t.add("flatten", "flatten", a_of(2, 3, 4, 5), joined, start=1, end=2)
    t.add("expand", "expand", a_of(3, 1), lambda i: i.a.expand(2, 3, 4), shape=[2, 3, 4])
    ones = a_of(1, 3, 1, 4)
    t.add("squeeze", "squeeze", ones, lambda i: i.a.squeeze(), dim=None)
    t.add("squeeze_dim", "squeeze", ones, lambda i: i.a.squeeze(2), dim=2)
    t.add("unsqueeze", "unsqueeze", a_of(3, 4), lambda i: i.a.unsqueeze(-2), dim=-2)
    steps = lambda i: i.a[..., 1:6:2]
    t.add("slice_step", "slice", a_of(2, 3, 6), steps, dim=-1, start=1, end=6, step=2)
    t.add("slice_from_end", "slice", a_of(3, 5), lambda i: i.a[:, -2:], dim=1, start=-2)
    t.add("select", "select", cube, lambda i: i.a[:, -1], dim=1, index=-1)
    parts = lambda i: dict(zip(("y0", "y1"), i.a.split([1, 4], 1)))
    both = ("y0", "y1")
    t.add("split", "split", a_of(3, 5), parts, up=both, sizes=[1, 4], dim=1)
    last = lambda i: i.a.split([1, 4], 1)[1]
    note = "only the second part is used"
    t.add("split_last", "split", a_of(3, 5), last, sizes=[1, 4], dim=1, note=note)
    halves = lambda i: dict(zip(both, i.a.chunk(2, 1)))
    t.add("chunk", "chunk", a_of(3, 5), halves, up=both, chunks=2, dim=1)


def joining(t):
    abc = lambda d: {
        "a": d.normal(2, 1, 4),
        "b": d.normal(2, 3, 4),
        "c": d.normal(2, 2, 4),
    }
    t.add("cat", "cat", abc, lambda i: torch.cat([i.a, i.b, i.c], 1), dim=1)
    twice = lambda i: torch.cat([i.a, i.a], -1)
    t.add("cat_twice", "cat", a_of(3, 4), twice, dim=-1, note="a twice")
    ab = lambda d: {"a": d.normal(3, 4), "b": d.normal(3, 4)}
    t.add("stack", "stack", ab, lambda i: torch.stack([i.a, i.b], 1), dim=1)
    tiled = lambda i: i.a.repeat(2, 1, 3)
    t.add("repeat", "repeat", a_of(3, 4), tiled, repeats=[2, 1, 3])
    op = "repeat_interleave"
    each = lambda i: i.a.repeat_interleave(3)
    t.add("interleave", op, a_of(3, 4), each, repeats=3, dim=None)
    along = lambda i: i.a.repeat_interleave(2, dim=1)
    t.add("interleave_dim", op, a_of(3, 4), along, repeats=2, dim=1)
    counted = lambda d: {"a": d.normal(3, 4), "repeats": torch.tensor([1, 0, 2])}
    by_count = lambda i: i.a.repeat_interleave(i.repeats, dim=0)
    t.add("interleave_counts", op, counted, by_count, dim=0)
    for shift, dim in [(2, 1), (-7, 0)]:
        moved = lambda i, shift=shift, dim=dim: i.a.roll(shift, dim)
        t.add(f"roll_{dim}", "roll", a_of(3, 4), moved, shift=shift, dim=dim)
    t.add("flip", "flip", a_of(3, 4), lambda i: i.a.flip(1), dim=1)
    t.add("clone", "clone", a_of(3, 4), lambda i: i.a.clone())


def indexing(t):
    picked = lambda d: {"a": d.normal(3, 4), "index": d.whole(4, 6)}
    take = lambda i: i.a.index_select(1, i.index)
    t.add("index_select", "index_select", picked, take, dim=1)
    each = lambda d: {"a": d.normal(3, 4), "index": d.whole(4, 3, 5)}
    t.add("gather", "gather", each, lambda i: i.a.gather(1, i.index), dim=1)
    masked = lambda d: {"a": d.normal(4, 4), "mask": d.chance(0.6, 4, 4)}
    t.add("masked_select", "masked_select", masked, lambda i: i.a[i.mask])
    for op in ("triu", "tril"):
        for k, shape in [(0, (4, 4)), (1, (2, 4, 3)), (-1, (2, 3, 4))]:
            half = lambda i, op=op, k=k: getattr(i.a, op)(k)
            t.add(f"{op}_{k}", op, a_of(*shape), half, diagonal=k)
    t.add("diagonal", "diagonal", a_of(3, 5), lambda i: i.a.diagonal())


def order(t):
    square = a_of(3, 5)
    up = lambda i: tuple(i.a.sort(-1))
    t.add("sort", "sort", square, up, dim=-1, descending=False)
    down = lambda i: tuple(i.a.sort(0, descending=True))
    t.add("sort_descending", "sort", square, down, dim=0, descending=True)
    t.add("topk", "topk", square, lambda i: tuple(i.a.topk(2, -1)), k=2, dim=-1)
    t.add("cumsum", "cumsum", a_of(2, 3, 4), lambda i: i.a.cumsum(1), dim=1)


def add_rows(table):
    for family in (views, joining, indexing, order):
        family(table)
