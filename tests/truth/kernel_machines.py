#!/usr/bin/env python3
"""svm with kernels: classes in pairs, numbers, nu, weights, one class."""
import numpy as np
import sklearn
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from truth import DECISION, EVERY_WAY, VALUE, Header, patients, weights, wines

h = Header("Support vector machines with kernels.", f"scikit-learn {sklearn.__version__} (LIBSVM)")

# Both stop at 1e-7 of the conditions; entries of the kernel are floats, which moves an answer by
# some 1e-6, and one that is a quotient of such sums (the votes' second part) no further.
TIGHT, NEAR = 1e-7, 2e-4


def two(f):
    return np.column_stack([-f, f])


for way in EVERY_WAY:
    Z, y = wines(**way, scale=True)
    _, second = wines(target="second")
    w = weights(len(y)) if way.get("weighted") else None
    m = SVC(C=2, gamma=0.05, tol=TIGHT, decision_function_shape="ovr").fit(Z, y, w)
    h.of_wines("standardize | svm 2 kernel=rbf(gamma=0.05) tol=1e-7", DECISION,
               m.decision_function(Z), NEAR, **way)
    m = SVC(C=0.5, kernel="poly", degree=2, gamma=0.1, coef0=1, tol=TIGHT).fit(Z, second, w)
    h.of_wines("standardize | svm 0.5 kernel=\"poly(degree=2 gamma=0.1 coef0=1)\" tol=1e-7",
               DECISION, two(m.decision_function(Z)), NEAR, target="second", **way)
    m = NuSVC(nu=0.2, gamma=0.05, tol=TIGHT).fit(Z, second, w)
    h.of_wines("standardize | svm nu=0.2 kernel=rbf(gamma=0.05) tol=1e-7", DECISION,
               two(m.decision_function(Z)), NEAR, target="second", **way)
    Z, y = patients(**way, scale=True)
    w = weights(len(y)) if way.get("weighted") else None
    m = SVR(C=50, epsilon=5, gamma=0.03, tol=TIGHT).fit(Z, y, w)
    h.of_patients("standardize | svm 50 epsilon=5 kernel=rbf(gamma=0.03) tol=1e-7", VALUE,
                  m.predict(Z), NEAR, **way)
    m = NuSVR(C=50, nu=0.4, gamma=0.03, tol=TIGHT).fit(Z, y, w)
    h.of_patients("standardize | svm 50 nu=0.4 kernel=rbf(gamma=0.03) tol=1e-7", VALUE,
                  m.predict(Z), NEAR, **way)

# One class, of rows by formula: test_svm_kernel.c.
i, j = np.arange(60)[:, None], np.arange(3)[None]
X = np.sin(1.3 * i + 2.1 * j) + 0.3 * np.cos(0.7 * i * (j + 1))
m = OneClassSVM(nu=0.3, gamma=0.5, tol=1e-8).fit(X)
h.array("one_class", m.decision_function(X), "OneClassSVM(nu=0.3, gamma=0.5)", 1e-6)

h.end()
