/* radix.inl -- stable sorting of items by unsigned keys of 64 bits: included with ITEM, the type,
 * KEY(item) and R(name), the functions' names, defined. */

/* By the bits [low, low + passes x bits) of the keys, the lowest digit first; a digit that all keys
 * have is left out.  start: passes << bits counts.  Returns whichever of a and b holds the
 * result. */
static inline __attribute__((always_inline)) ITEM *R(digits)(int64_t n, ITEM *a, ITEM *b, int low,
                                                             int bits, int passes, int64_t *start)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    memset(start, 0, ((size_t)passes << bits) * sizeof *start);
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = KEY(a[i]) >> low;
        for (int pass = 0; pass < passes; pass++)
            start[((uint64_t)pass << bits) + (key >> (pass * bits) & mask)]++;
    }
    for (int pass = 0; pass < passes && low + pass * bits < 64; pass++) {
        int64_t *at = start + ((uint64_t)pass << bits), total = 0;
        int shift = low + pass * bits;
        if (at[KEY(a[0]) >> shift & mask] == n) continue;
        for (uint64_t k = 0; k <= mask; k++) {
            int64_t count = at[k];
            at[k] = total;
            total += count;
        }
        int64_t i = 0, far = n * (int64_t)sizeof *a > CACHED ? n - AHEAD : 0;
        for (; i < far; i++) { /* where an item goes is fetched before it is written */
            __builtin_prefetch(&b[at[KEY(a[i + AHEAD]) >> shift & mask]], 1);
            b[at[KEY(a[i]) >> shift & mask]++] = a[i];
        }
        for (; i < n; i++) b[at[KEY(a[i]) >> shift & mask]++] = a[i];
        ITEM *turn = a;
        a = b;
        b = turn;
    }
    return a;
}

/* The same, compiled for what is asked for most. */
static ITEM *R(by_digits)(int64_t n, ITEM *a, ITEM *b, int low, int bits, int passes,
                          int64_t *start)
{
    if (passes == 1) return R(digits)(n, a, b, low, bits, 1, start);
    if (passes == 2) return R(digits)(n, a, b, low, bits, 2, start);
    if (bits == USUAL) return R(digits)(n, a, b, low, USUAL, RADIX_PASSES, start);
    return R(digits)(n, a, b, low, bits, RADIX_PASSES, start);
}

/* Insertion, for items that are nearly in order; false: this would take too long. */
static bool R(settle)(int64_t n, ITEM *a)
{
    int64_t left = RADIX_MOVES * n;
    for (int64_t i = 1; i < n; i++) {
        ITEM item = a[i];
        int64_t at = i;
        if (KEY(a[i - 1]) <= KEY(item)) continue;
        for (; at > 0 && KEY(a[at - 1]) > KEY(item); at--) a[at] = a[at - 1];
        a[at] = item;
        left -= i - at;
        if (left < 0) return false;
    }
    return true;
}

/* How many of their lowest bits hold everything in which the keys differ. */
static int R(differing)(int64_t n, const ITEM *a)
{
    uint64_t differ = 0;
    for (int64_t i = 1; i < n; i++) differ |= KEY(a[i]) ^ KEY(a[0]);
    return bit_count(differ);
}

/* Sorts n >= 1 items by the bits [low, top) of their keys, of which those from top on are the same;
 * what has the same bits must lie in the order of the bits below.  Returns whichever of a and b
 * holds the result. */
static ITEM *R(by_bits)(int64_t n, ITEM *a, ITEM *b, int low, int top)
{
    int64_t start[RADIX_PASSES << WIDE];
    int widest = n < MANY ? NARROW : WIDE, passes = 1;
    if (top <= low) return a;
    while (passes < RADIX_PASSES && passes * widest < top - low) passes++;
    int bits = (top - low + passes - 1) / passes;
    if (passes * bits > passes * widest) bits = n < MANY ? NARROW : USUAL;
    int from = SMR_MAX(low, top - passes * bits);
    ITEM *sorted = R(by_digits)(n, a, b, from, bits, passes, start);
    if (from == low || R(settle)(n, sorted)) return sorted;
    for (from = low; from < top; from += passes * bits)
        sorted = R(by_digits)(n, sorted, sorted == a ? b : a, from, bits, passes, start);
    return sorted;
}
