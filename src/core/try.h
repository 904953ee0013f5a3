/* try.h -- the two control-flow macros of samara.
 *
 * Both need a local `smr_status st` and a label `out:` below them; no other macro may hold a
 * return or a goto. */
#ifndef SMR_CORE_TRY_H
#define SMR_CORE_TRY_H

/* Leaves for `out` when the call fails. */
#define TRY(call)                   \
    do {                            \
        st = (call);                \
        if (st != SMR_OK) goto out; \
    } while (0)

/* ptr = n zeroed elements, owned by this function until it hands them on. */
#define TRY_NEW(ptr, n)                             \
    do {                                            \
        (ptr) = smr_alloc(ctx, (n), sizeof *(ptr)); \
        if (!(ptr)) {                               \
            st = SMR_ERR_NOMEM;                     \
            goto out;                               \
        }                                           \
    } while (0)

#endif
