/* distribution_parts.h -- the families of distribution.h, each defined in the file of its kind. */
#ifndef SMR_MATH_DISTRIBUTION_PARTS_H
#define SMR_MATH_DISTRIBUTION_PARTS_H

#include "math/distribution.h"

/* continuous.c */
extern const smr_family smr_family_gaussian, smr_family_student, smr_family_gamma,
    smr_family_inverse_gamma, smr_family_chi2, smr_family_exponential, smr_family_beta;
/* discrete.c */
extern const smr_family smr_family_bernoulli, smr_family_binomial, smr_family_poisson;

#endif
