#!/usr/bin/env python3
"""The bytes of numpy's types, as NPY files hold them."""
import numpy as np

from truth import Header

h = Header("Two numbers of each type.", f"numpy {np.__version__}")
rows = []
for kind, values in [("<f8", (-1.5, 300)), (">f8", (-1.5, 300)), ("<f4", (-1.5, 300)),
                     (">f4", (-1.5, 300)), ("<f2", (-1.5, 300)), (">f2", (2.0 ** -24, np.inf)),
                     ("|u1", (7, 255)), ("|i1", (7, -1)), ("|b1", (0, 1)), ("<i2", (-2, 300)),
                     (">i2", (-2, 300)), ("<u2", (65534, 300)), ("<i4", (-2, 300)),
                     (">i4", (-2, 300)), (">u4", (4294967294, 300)), ("<i8", (-2, 300)),
                     (">i8", (-2, 300)), ("<u8", (2 ** 63, 300))]:
    text = np.array(values).astype(kind).tobytes()
    assert np.array(values).astype(kind).dtype.str == kind
    rows.append((kind, len(text), list(text), [float(v) for v in values]))
h.records("npy_truth", "const char *descr; int n_bytes; unsigned char bytes[16]; double want[2];",
          rows, "numpy.array(want).astype(descr).tobytes()", 0)
h.end()
