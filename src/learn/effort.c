/* effort.c -- see effort.h. */
#include "learn/effort.h"

#include <stdio.h>

/* Multiplications of a second: what a plain loop of a processor does, to a power of ten. */
#define SECOND 1e9
#define LONG 60.0

/* "90 seconds", "5 minutes", "3 hours", "12 days" */
static void say_time(double seconds, char *out, size_t room)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    int k = 0;
    while (k < 3 && seconds < 2 * units[k].unit) k++;
    snprintf(out, room, "%.0f %s", seconds / units[k].unit, units[k].name);
}

void smr_effort_tell(smr_ctx *ctx, const smr_effort *e)
{
    char each[40], all[40];
    double least = e->each * e->least / SECOND;
    if (!(least > LONG)) return;
    say_time(e->each / SECOND, each, sizeof each);
    say_time(e->each * (double)e->most / SECOND, all, sizeof all);
    if (e->most == 1)
        smr_warn(ctx, "%s: this is about %.0e multiplications, some %s of a processor; %s",
                 e->learner, e->each, each, e->advice);
    else
        smr_warn(ctx,
                 "%s: a %s is about %.0e multiplications, some %s of a processor, and there are up "
                 "to %lld %s (%s); %s",
                 e->learner, e->round, e->each, each, (long long)e->most, e->rounds, all,
                 e->advice);
}
