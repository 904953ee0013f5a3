/* layout.c -- see layout.h. */
#include "learn/neighbors/layout.h"

#include "kernel/kernel.h"
#include "kernel/kernel_table.h"

#include <math.h>
#include <string.h>

enum { GROUP = SMR_NEAR_GROUP };

smr_layout smr_layout_of(smr_form form, bool panels, int64_t n, int64_t d)
{
    smr_layout l = {.n = n, .d = d, .form = form, .panels = panels, .rows = GROUP};
    l.steps = d;
    l.lane = GROUP;
    if (panels && form == SMR_FORM_F32) l.rows = l.lane = SMR_PANEL_F32;
    if (panels && form == SMR_FORM_U8) {
        l.rows = SMR_PANEL_U8;
        l.lane = (int64_t)SMR_PANEL_U8 * SMR_STEP_U8;
        l.steps = (d + SMR_STEP_U8 - 1) / SMR_STEP_U8;
    }
    l.groups = (n + l.rows - 1) / l.rows;
    return l;
}

size_t smr_layout_width(const smr_layout *l)
{
    return l->form == SMR_FORM_F64 ? 8 : l->form == SMR_FORM_F32 ? 4 : 1;
}

int64_t smr_layout_count(const smr_layout *l)
{
    return l->groups * l->steps * l->lane;
}

static bool is_byte_panel(const smr_layout *l)
{
    return l->panels && l->form == SMR_FORM_U8;
}

/* Element of coordinate 0 at that place; the next ones follow at `lane`, or as byte panels have
 * them. */
static int64_t first_of(const smr_layout *l, int64_t place)
{
    int shift = l->rows == GROUP ? 4 : 5; /* this is called for every leaf of a tree: no division */
    int64_t group = (place >> shift) * l->steps * l->lane, member = place & (l->rows - 1);
    return group + (is_byte_panel(l) ? member * SMR_STEP_U8 : member);
}

const void *smr_layout_at(const smr_layout *l, const void *x, int64_t place)
{
    return (const char *)x + (size_t)first_of(l, place) * smr_layout_width(l);
}

/* ---- filling ---- */

void smr_layout_clear_end(const smr_layout *l, void *x)
{
    size_t group = (size_t)(l->steps * l->lane) * smr_layout_width(l);
    memset((char *)x + (size_t)(l->groups - 1) * group, 0, group);
}

/* Four bytes at a time, each less 128: the sign bit is flipped. */
static void put_byte_panel(const smr_layout *l, uint8_t *to, const uint8_t *from)
{
    const uint32_t turn = 0x80808080;
    int64_t whole = l->d / SMR_STEP_U8;
    for (int64_t s = 0; s < whole; s++) {
        uint32_t four;
        memcpy(&four, from + s * SMR_STEP_U8, sizeof four);
        four ^= turn;
        memcpy(to + s * l->lane, &four, sizeof four);
    }
    for (int64_t j = whole * SMR_STEP_U8; j < l->steps * SMR_STEP_U8; j++)
        to[whole * l->lane + j % SMR_STEP_U8] = j < l->d ? from[j] ^ 0x80 : 0;
}

static void put_row(const smr_layout *l, void *x, int64_t place, const void *row)
{
    int64_t at = first_of(l, place);
    if (is_byte_panel(l)) {
        put_byte_panel(l, (uint8_t *)x + at, row);
    } else if (l->form == SMR_FORM_U8) {
        for (int64_t j = 0; j < l->d; j++)
            ((uint8_t *)x)[at + j * l->lane] = ((const uint8_t *)row)[j];
    } else if (l->form == SMR_FORM_F32) {
        for (int64_t j = 0; j < l->d; j++) ((float *)x)[at + j * l->lane] = ((const float *)row)[j];
    } else {
        for (int64_t j = 0; j < l->d; j++)
            ((double *)x)[at + j * l->lane] = ((const double *)row)[j];
    }
}

void smr_layout_put(const smr_layout *l, void *x, int64_t place, int64_t n, const void *rows,
                    int64_t stride)
{
    size_t width = smr_layout_width(l);
    bool whole = place % l->rows == 0 && (n % l->rows == 0 || place + n == l->n);
    char *to = (char *)x + (size_t)first_of(l, place) * width;
    if (whole && l->form == SMR_FORM_F64)
        smr_pack_f64(n, l->d, rows, stride, to);
    else if (whole && l->form == SMR_FORM_F32 && l->panels)
        smr_pack_f32(n, l->d, rows, stride, to);
    else
        for (int64_t i = 0; i < n; i++)
            put_row(l, x, place + i, (const char *)rows + (size_t)(i * stride) * width);
}

/* ---- reading ---- */

static uint8_t byte_at(const smr_layout *l, const void *x, int64_t at, int64_t j)
{
    if (!l->panels) return ((const uint8_t *)x)[at + j * l->lane];
    return ((const uint8_t *)x)[at + j / SMR_STEP_U8 * l->lane + j % SMR_STEP_U8] ^ 0x80;
}

void smr_layout_row(const smr_layout *l, const void *x, int64_t place, double *out)
{
    int64_t at = first_of(l, place);
    if (l->form == SMR_FORM_F64) {
        for (int64_t j = 0; j < l->d; j++) out[j] = ((const double *)x)[at + j * l->lane];
    } else if (l->form == SMR_FORM_F32) {
        for (int64_t j = 0; j < l->d; j++) out[j] = (double)((const float *)x)[at + j * l->lane];
    } else {
        for (int64_t j = 0; j < l->d; j++) out[j] = (double)byte_at(l, x, at, j);
    }
}

const double *smr_layout_group(const smr_layout *l, const void *x, int64_t place, double *buffer)
{
    int64_t at = first_of(l, place);
    if (l->form == SMR_FORM_F64) return (const double *)x + at;
    for (int64_t j = 0; j < l->d; j++) {
        double *to = buffer + j * GROUP;
        if (l->form == SMR_FORM_F32) {
            const float *from = (const float *)x + at + j * l->lane;
            for (int64_t i = 0; i < GROUP; i++) to[i] = (double)from[i];
        } else {
            for (int64_t i = 0; i < GROUP; i++)
                to[i] = (double)byte_at(l, x, at + (l->panels ? i * SMR_STEP_U8 : i), j);
        }
    }
    return buffer;
}

bool smr_layout_same(const smr_layout *l, const void *x, int64_t a, int64_t b)
{
    size_t width = smr_layout_width(l), item = is_byte_panel(l) ? SMR_STEP_U8 : width;
    const char *p = smr_layout_at(l, x, a), *q = smr_layout_at(l, x, b);
    size_t next = (size_t)l->lane * width;
    for (int64_t s = 0; s < l->steps; s++, p += next, q += next)
        if (memcmp(p, q, item) != 0) return false;
    return true;
}

static bool all_finite(const smr_layout *l, const void *x)
{
    int64_t n = smr_layout_count(l);
    bool finite = true;
    if (l->form == SMR_FORM_F32)
        for (int64_t i = 0; i < n; i++) finite &= isfinite(((const float *)x)[i]) != 0;
    if (l->form == SMR_FORM_F64)
        for (int64_t i = 0; i < n; i++) finite &= isfinite(((const double *)x)[i]) != 0;
    return finite;
}

static bool is_zero(const void *x, size_t bytes)
{
    const char *p = x;
    char any = 0;
    for (size_t i = 0; i < bytes; i++) any |= p[i];
    return any == 0;
}

bool smr_layout_sound(const smr_layout *l, const void *x)
{
    size_t width = smr_layout_width(l), item = is_byte_panel(l) ? SMR_STEP_U8 : width;
    if (!all_finite(l, x)) return false;
    for (int64_t place = l->n; place < l->groups * l->rows; place++) {
        const char *p = smr_layout_at(l, x, place);
        for (int64_t s = 0; s < l->steps; s++)
            if (!is_zero(p + (size_t)(s * l->lane) * width, item)) return false;
    }
    size_t past = (size_t)(l->d % SMR_STEP_U8); /* bytes of the last step that are there */
    for (int64_t place = 0; is_byte_panel(l) && past && place < l->n; place++) {
        const char *p = smr_layout_at(l, x, place);
        if (!is_zero(p + (l->steps - 1) * l->lane + past, SMR_STEP_U8 - past)) return false;
    }
    return true;
}
