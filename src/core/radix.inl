/* radix.inl -- stable sorting of items by unsigned keys of 64 bits: included with ITEM, the type,
 * KEY(item) and R(name), the functions' names, defined. */

/* By the bits [low, low + RADIX_PASSES x bits) of the keys, the lowest digit first; a digit that
 * all keys have is left out.  start: RADIX_PASSES << bits counts.  Returns whichever of a and b
 * holds the result. */
static ITEM *R(by_digits)(int64_t n, ITEM *a, ITEM *b, int low, int bits, int64_t *start)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    memset(start, 0, ((size_t)RADIX_PASSES << bits) * sizeof *start);
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = KEY(a[i]) >> low;
        for (int pass = 0; pass < RADIX_PASSES; pass++)
            start[((uint64_t)pass << bits) + (key >> (pass * bits) & mask)]++;
    }
    for (int pass = 0; pass < RADIX_PASSES && low + pass * bits < 64; pass++) {
        int64_t *at = start + ((uint64_t)pass << bits), total = 0;
        int shift = low + pass * bits;
        if (at[KEY(a[0]) >> shift & mask] == n) continue;
        for (uint64_t k = 0; k <= mask; k++) {
            int64_t count = at[k];
            at[k] = total;
            total += count;
        }
        for (int64_t i = 0; i < n; i++) b[at[KEY(a[i]) >> shift & mask]++] = a[i];
        ITEM *turn = a;
        a = b;
        b = turn;
    }
    return a;
}

/* Insertion, for items that are nearly in order; false: this would take too long. */
static bool R(settle)(int64_t n, ITEM *a)
{
    int64_t left = RADIX_MOVES * n;
    for (int64_t i = 1; i < n; i++) {
        ITEM item = a[i];
        int64_t at = i;
        for (; at > 0 && KEY(a[at - 1]) > KEY(item); at--) a[at] = a[at - 1];
        a[at] = item;
        left -= i - at;
        if (left < 0) return false;
    }
    return true;
}

/* The lowest of the highest bits by which the keys are sorted first; 64: all keys are the same. */
static int R(first_bit)(int64_t n, const ITEM *a, int bits)
{
    uint64_t differ = 0;
    int top = 64;
    for (int64_t i = 1; i < n; i++) differ |= KEY(a[i]) ^ KEY(a[0]);
    if (!differ) return 64;
    while (!(differ >> (top - 1))) top--;
    return SMR_MAX(0, top - RADIX_PASSES * bits);
}
