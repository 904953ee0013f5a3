#!/usr/bin/env python3
"""rnn, lstm and gru: what PyTorch gives, and its derivatives, in double.

Weights, inputs and the derivatives that come in are recorded too.  PyTorch's second bias is added
to the first, but for gru's n, where it stays apart."""
import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from truth import Header

B, T, D, H = 3, 5, 3, 4
LENGTHS = [5, 2, 1]
h = Header("Recurrent layers.", f"PyTorch {torch.__version__.split('a')[0]}")
rng = np.random.default_rng(7)


def drawn(*shape):
    return np.round(rng.uniform(-1, 1, shape), 6)


x = drawn(B, T, D)
h.array("recurrent_x", x.ravel(), "what comes in, rows x steps x numbers")
h.array("recurrent_lengths", LENGTHS, "steps of the rows, where they differ", kind="int32_t")
cases = []


def tensors(module, kind, side):
    """samara's, in its order: weight, recurrent, bias and, of gru, recurrent_bias."""
    def get(name):
        return getattr(module, f"{name}_l0{side}")
    return [get("weight_ih"), get("weight_hh"), get("bias_ih")] + \
        ([get("bias_hh")] if kind == "gru" else [])


def bias_parts(values, kind, side, module):
    """Of weights: both biases as one."""
    other = getattr(module, f"bias_hh_l0{side}").detach().numpy()
    values = [v.copy() for v in values]
    if kind == "gru":
        values[2][:2 * H] += other[:2 * H]
        values[3] = other[2 * H:]
    else:
        values[2] += other
    return values


def case(kind, both, lengths):
    module = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[kind](
        D, H, batch_first=True, bidirectional=both).double()
    for p in module.parameters():
        p.data = torch.from_numpy(drawn(*p.shape))
    inputs = torch.from_numpy(x).requires_grad_()
    if lengths:
        packed, state = module(pack_padded_sequence(inputs, LENGTHS, batch_first=True))
        y = pad_packed_sequence(packed, batch_first=True, total_length=T)[0]
    else:
        y, state = module(inputs)
    last = (state[0] if kind == "lstm" else state).permute(1, 0, 2).reshape(B, -1)
    slopes = drawn(*y.shape)
    (y * torch.from_numpy(slopes)).sum().backward()
    w, g = [], []
    for side in ["", "_reverse"][:1 + both]:
        own = tensors(module, kind, side)
        w += bias_parts([t.detach().numpy() for t in own], kind, side, module)
        slope = [t.grad.numpy() for t in own]
        g += slope[:3] + ([slope[3][2 * H:]] if kind == "gru" else [])
    name = f"recurrent_{len(cases)}"
    text = f"{kind}{', both ways' * both}{', of lengths' * lengths}"
    for what, values in [("w", w), ("slopes", [slopes])]:
        h.array(f"{name}_{what}", np.concatenate([v.ravel() for v in values]), f"{text}: {what}")
    for what, values in [("y", [y.detach().numpy()]), ("last", [last.detach().numpy()]), ("g", g),
                         ("dx", [inputs.grad.numpy()])]:
        h.array(f"{name}_{what}", np.concatenate([v.ravel() for v in values]), f"{text}: {what}",
                1e-12)
    cases.append(f'    {{"{kind}", {str(both).lower()}, {str(lengths).lower()}, {name}_w, '
                 f"{name}_slopes, {name}_y,\n     {name}_last, {name}_g, {name}_dx}},")


for kind in ["rnn", "lstm", "gru"]:
    for both in [False, True]:
        for lengths in [False, True]:
            case(kind, both, lengths)

h.lines += ["static const struct {", "    const char *kind;", "    bool both, lengths;",
            "    const double *w, *slopes, *y, *last, *g, *dx;", "} recurrent_cases[] = {"]
h.lines += cases + ["};", ""]
h.end()
