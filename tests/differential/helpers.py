"""What PyTorch computes where no single call of it does what heed's op does. The source
of these functions is printed with a program that needs them."""

import types

import torch
import torch.nn.functional as F


def sign(a):
    """torch.sign, but without a derivative, where PyTorch's has zeros; and NaN of NaN,
    where PyTorch's is 0."""
    return torch.where(a.isnan(), a, a.sign()).detach()


def topk(a, k, dim, largest):
    """torch.topk, but of equal elements the first: PyTorch leaves open which it takes."""
    values, indices = torch.topk(a, k, dim, largest)
    if a.dim() == 0:
        return torch.return_types.topk((values, indices))
    order = torch.sort(a, dim=dim, descending=largest, stable=True)
    return torch.return_types.topk([t.narrow(dim, 0, k) for t in order])


def prod(a, dims, keepdim):
    """torch.prod, which takes one dimension, over several."""
    a.sum(dims)  # refuses dimensions that are none
    for dim in sorted((d % max(a.dim(), 1) for d in dims), reverse=True):
        a = a.prod(dim, keepdim)
    return a


def slice_scatter(zeros, a, dim, start, step):
    """With the place that a needs; PyTorch's takes the end instead."""
    end = start + (a.shape[dim] - 1) * step + 1 if a.shape[dim] else start
    return zeros.slice_scatter(a, dim, start, end, step)


def softmax_of_kept(scores, keep):
    """Weights of 0 where keep is false; a row without a key gets only those."""
    empty = ~keep.any(-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(~keep & ~empty, float("-inf")), -1)
    return weights.masked_fill(~keep, 0.0)


def first_keys(lens, keys):
    """(..., keys): where a key is one of the first lens."""
    if bool((lens < 0).any()):
        raise ValueError("lens must not be negative")
    return torch.arange(keys) < lens.unsqueeze(-1)


def attention(q, k, v, scale, keep=None, bias=None):
    """The output, and the weights."""
    scores = q @ k.transpose(-2, -1) * scale
    if bias is not None:
        scores = scores + bias
    if keep is None:
        keep = torch.ones(scores.shape, dtype=torch.bool)
    weights = softmax_of_kept(scores, keep.expand(scores.shape))
    return types.SimpleNamespace(output=weights @ v, weights=weights)


def fused_attention(q, k, v, scale, lens=None):
    """PyTorch's own where there is one; it does not define a row without a key."""
    keep = None
    if lens is not None:
        keep = first_keys(lens, k.shape[-2]).expand(*q.shape[:-1], k.shape[-2])
    own = getattr(F, "scaled_dot_product_attention", None)
    if own is None or 0 in k.shape or (keep is not None and not keep.any(-1).all()):
        return attention(q, k, v, scale, keep).output
    backend = torch.nn.attention.SDPBackend.MATH  # the others have no second derivative
    with torch.nn.attention.sdpa_kernel(backend):
        return own(q, k, v, attn_mask=keep, scale=scale)


def causal_attention(q, k, v, scale, align):
    """Query i sees the keys up to i; or the last query sees all."""
    n, m = q.shape[-2], k.shape[-2]
    shift = 0 if align == "top_left" else m - n
    return attention(q, k, v, scale, torch.ones(n, m).tril(shift) > 0).output


def heads_of(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def attend_heads(q, k, v, heads, lens):
    q, k, v = (heads_of(x, heads) for x in (q, k, v))
    keep = first_keys(lens, k.shape[-2]).reshape(-1, 1, 1, k.shape[-2])
    output = attention(q, k, v, q.shape[-1] ** -0.5, keep).output
    return output.transpose(1, 2).flatten(2)


def additive_scores(q, k, w):
    return (torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3)) * w).sum(-1)


def gaussian_weights(q, k, w):
    distances = (q.unsqueeze(1) - k) * w.reshape(())
    return torch.softmax(-distances.square() / 2, 1)


def gaussian_attention(q, k, v, w):
    return (gaussian_weights(q, k, w) * v).sum(1)
