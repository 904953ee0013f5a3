/* jpeg_scan.c -- the bits of a scan.
 *
 * A block's coefficients come in order of frequency.  The first (DC) is a difference from that of
 * the block before; of the others a code says how many are 0 before the next, and how many bits it
 * has; a value of s bits below 2^(s-1) stands for itself - (2^s - 1).  Progressive scans bring a
 * band of frequencies down to bit `down_to`, or one more bit of those that are there, and may say
 * of a run of blocks that they have no more.  In the data FF 00 stands for FF.
 * Reference: ITU-T T.81, annexes F and G. */
#include "data/jpeg_parts.h"

#include <math.h>

/* ---- bits --------------------------------------------------------------------------------- */

/* At least 48 bits, zeros past the marker that ends the data. */
static void fill(smr_jpeg *j)
{
    const uint8_t *b = j->file->bytes;
    while (j->n_bits <= 48) {
        unsigned byte = 0;
        bool ends = j->at >= j->file->n ||
                    (b[j->at] == 0xff && (j->at + 1 >= j->file->n || b[j->at + 1] != 0));
        if (ends) {
            j->n_made += 8;
        } else {
            byte = b[j->at];
            j->at += byte == 0xff ? 2 : 1;
        }
        j->bits = j->bits << 8 | byte;
        j->n_bits += 8;
    }
}

static unsigned peek(smr_jpeg *j, int n)
{
    if (j->n_bits < n) fill(j);
    return (unsigned)(j->bits >> (j->n_bits - n)) & ((1U << n) - 1);
}

static unsigned take(smr_jpeg *j, int n)
{
    unsigned x = n ? peek(j, n) : 0;
    j->n_bits -= n;
    return x;
}

/* Were bits used that the file does not have? */
static bool is_over(const smr_jpeg *j)
{
    return j->n_bits < j->n_made;
}

/* A value, or -1 for bits that are no code. */
static int take_code(smr_jpeg *j, const smr_jpeg_code *c)
{
    unsigned look = peek(j, SMR_JPEG_LOOK);
    if (c->look_n[look]) {
        j->n_bits -= c->look_n[look];
        return c->look_value[look];
    }
    for (int n = SMR_JPEG_LOOK + 1; n <= 16; n++) {
        int code = (int)peek(j, n);
        if (code >= c->beyond[n]) continue;
        j->n_bits -= n;
        return c->value[c->place[n] + code - c->first[n]];
    }
    return -1;
}

static int take_value(smr_jpeg *j, int n)
{
    int x = (int)take(j, n);
    return n && x < 1 << (n - 1) ? x - ((1 << n) - 1) : x;
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* All return false for what no encoder writes. */

static bool read_dc(smr_jpeg *j, smr_jpeg_part *p, int16_t *block)
{
    int n = take_code(j, &j->dc[p->dc]);
    if (n < 0 || n > 15) return false;
    p->last += take_value(j, n);
    int64_t value = (int64_t)p->last * (1 << j->down_to);
    if (value < INT16_MIN || value > INT16_MAX) return false;
    block[0] = (int16_t)value;
    return true;
}

static bool read_whole(smr_jpeg *j, smr_jpeg_part *p, int16_t *block)
{
    if (!read_dc(j, p, block)) return false;
    for (int k = 1; k < 64; k++) {
        int code = take_code(j, &j->ac[p->ac]), n = code & 15;
        if (code < 0) return false;
        if (n == 0 && code != 0xf0) break;
        k += code >> 4;
        if (k > 63) return false;
        if (n) block[k] = (int16_t)take_value(j, n);
    }
    return true;
}

/* How many blocks have no more: this one and those after it. */
static int64_t take_run(smr_jpeg *j, int n)
{
    return ((int64_t)1 << n) + take(j, n);
}

static bool read_band(smr_jpeg *j, const smr_jpeg_part *p, int16_t *block)
{
    if (j->n_same > 0) {
        j->n_same--;
        return true;
    }
    for (int k = j->low; k <= j->high; k++) {
        int code = take_code(j, &j->ac[p->ac]), n = code & 15, zeros = code >> 4;
        if (code < 0) return false;
        if (n == 0 && zeros < 15) {
            j->n_same = take_run(j, zeros) - 1;
            break;
        }
        k += zeros;
        if (k > 63) return false;
        int64_t value = n ? (int64_t)take_value(j, n) * (1 << j->down_to) : 0;
        if (value < INT16_MIN || value > INT16_MAX) return false;
        if (n) block[k] = (int16_t)value;
    }
    return true;
}

/* One more bit of a coefficient that is not 0. */
static void refine(smr_jpeg *j, int16_t *x)
{
    int bit = 1 << j->down_to;
    if (take(j, 1) && !((*x < 0 ? -*x : *x) & bit)) *x = (int16_t)(*x < 0 ? *x - bit : *x + bit);
}

/* One more bit of all that are not 0, and those that become so: after `zeros` that stay 0 the new
 * coefficient.  Returns the place after it. */
static int refine_until(smr_jpeg *j, int16_t *block, int k, int zeros)
{
    for (; k <= j->high; k++) {
        if (block[k])
            refine(j, &block[k]);
        else if (zeros-- == 0)
            break;
    }
    return k;
}

static bool refine_band(smr_jpeg *j, const smr_jpeg_part *p, int16_t *block)
{
    int k = j->low;
    while (j->n_same == 0 && k <= j->high) {
        int code = take_code(j, &j->ac[p->ac]), n = code & 15, zeros = code >> 4;
        if (code < 0 || n > 1) return false;
        if (n == 0 && zeros < 15) {
            j->n_same = take_run(j, zeros);
            break;
        }
        int value = n ? (take(j, 1) ? 1 << j->down_to : -(1 << j->down_to)) : 0;
        k = refine_until(j, block, k, zeros);
        if (k <= j->high && value) block[k] = (int16_t)value;
        k++;
    }
    if (j->n_same > 0) {
        refine_until(j, block, k, 64);
        j->n_same--;
    }
    return true;
}

static bool read_block(smr_jpeg *j, smr_jpeg_part *p, int64_t y, int64_t x)
{
    int16_t *block = p->coefficient + 64 * (y * p->across + x);
    if (!j->progressive) return read_whole(j, p, block);
    if (j->low > 0) return j->above ? refine_band(j, p, block) : read_band(j, p, block);
    if (j->above == 0) return read_dc(j, p, block);
    if (take(j, 1)) block[0] = (int16_t)(block[0] | 1 << j->down_to);
    return true;
}

/* ---- units -------------------------------------------------------------------------------- */

/* Unit u of a scan of one part is a block, of several the blocks of each. */
static bool read_unit(smr_jpeg *j, int64_t u)
{
    if (j->n_in_scan == 1) {
        smr_jpeg_part *p = &j->part[j->in_scan[0]];
        int64_t across = (p->wide + 7) / 8;
        return read_block(j, p, u / across, u % across);
    }
    for (int i = 0; i < j->n_in_scan; i++) {
        smr_jpeg_part *p = &j->part[j->in_scan[i]];
        int64_t y = u / j->across * p->v, x = u % j->across * p->h;
        for (int b = 0; b < p->h * p->v; b++)
            if (!read_block(j, p, y + b / p->h, x + b % p->h)) return false;
    }
    return true;
}

static int64_t units_of(const smr_jpeg *j)
{
    if (j->n_in_scan > 1) return j->across * j->down;
    const smr_jpeg_part *p = &j->part[j->in_scan[0]];
    return (p->wide + 7) / 8 * ((p->high + 7) / 8);
}

/* To the next marker: what is left of the last byte is for filling; whole bytes are counted. */
static void end_bits(smr_jpeg *j)
{
    const uint8_t *b = j->file->bytes;
    j->stray += (j->n_bits - j->n_made) / 8;
    j->bits = 0;
    j->n_bits = j->n_made = 0;
    while (j->at < j->file->n &&
           !(b[j->at] == 0xff && j->at + 1 < j->file->n && b[j->at + 1] != 0)) {
        j->at++;
        j->stray++;
    }
}

static smr_status restart(smr_ctx *ctx, smr_jpeg *j, int64_t n)
{
    const uint8_t *b = j->file->bytes;
    end_bits(j);
    while (j->at + 2 < j->file->n && b[j->at + 1] == 0xff) j->at++;
    if (j->at + 2 > j->file->n) return smr_jpeg_truncated(ctx, j);
    if (b[j->at + 1] != 0xd0 + n % 8)
        return smr_jpeg_damaged(ctx, j, "the data of a scan should go on here after a restart");
    j->at += 2;
    for (int i = 0; i < j->n_in_scan; i++) j->part[j->in_scan[i]].last = 0;
    j->n_same = 0;
    return SMR_OK;
}

smr_status smr_jpeg_scan(smr_ctx *ctx, smr_jpeg *j)
{
    smr_status st = SMR_OK;
    int64_t n = units_of(j);
    j->bits = 0;
    j->n_bits = j->n_made = 0;
    j->n_same = 0;
    for (int i = 0; i < j->n_in_scan; i++) j->part[j->in_scan[i]].last = 0;
    for (int64_t u = 0; u < n; u++) {
        if (u % 4096 == 0) TRY(smr_tick(ctx, NULL, u, n, NAN));
        if (j->restart && u && u % j->restart == 0) TRY(restart(ctx, j, u / j->restart - 1));
        bool good = read_unit(j, u);
        if (is_over(j)) TRY(smr_jpeg_truncated(ctx, j));
        if (!good) TRY(smr_jpeg_damaged(ctx, j, "before it are bits that no picture has"));
    }
    end_bits(j);
out:
    return st;
}
