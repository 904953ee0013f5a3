/* effort.c -- see effort.h. */
#include "learn/effort.h"

#include "core/text.h"

#include <math.h>

/* Multiplications of a second: what a plain loop of a processor does, to a power of ten. */
#define SECOND 1e9
#define LONG 60.0

/* "90 seconds", "5 minutes", "3 hours", "12 days" */
static void say_time(double seconds, smr_text *out)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    int k = 0;
    while (k < 3 && seconds < 2 * units[k].unit) k++;
    double n = smr_fmax(1, floor(seconds / units[k].unit + 0.5));
    smr_text_rounded(out, n, 2);
    smr_text_printf(out, " %s", n == 1 ? "second" : units[k].name);
}

bool smr_effort_tell(smr_ctx *ctx, const smr_effort *e)
{
    smr_text text = {.ctx = ctx};
    if (!(e->each * e->least / SECOND > LONG)) return false;
    smr_text_printf(&text, "%s: ", e->learner);
    if (e->most == 1)
        smr_text_add(&text, "this");
    else
        smr_text_printf(&text, "a %s", e->round);
    smr_text_add(&text, " is about ");
    smr_text_rounded(&text, e->each / 1e9, 2);
    smr_text_add(&text, " billion multiplications, roughly ");
    say_time(e->each / SECOND, &text);
    smr_text_add(&text, " of processor time");
    if (e->most > 1) {
        smr_text_printf(&text, ", and there are up to %lld %s (", (long long)e->most, e->rounds);
        say_time(e->each * (double)e->most / SECOND, &text);
        smr_text_add(&text, ")");
    }
    if (!text.failed) smr_foretell(ctx, "%s; %s", text.bytes, e->advice);
    smr_text_release(&text);
    return true;
}
