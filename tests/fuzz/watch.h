/* watch.h -- no file may keep a run busy: one that takes five seconds of CPU time ends it.
 *
 * libFuzzer's own limit counts the time that other programs take, or that the run was stopped. */
#ifndef SMR_FUZZ_WATCH_H
#define SMR_FUZZ_WATCH_H

#include "tally.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { WATCHED_SECONDS = 5 };

static void look_again(int number)
{
    static int64_t last = -1;
    static const char what[] = "a file took more than five seconds of CPU time\n";
    (void)number;
    if (tally.n_files == last) {
        (void)!write(2, what, sizeof what - 1);
        abort();
    }
    last = tally.n_files;
}

/* Counts from the first call on. */
static void watch(void)
{
    static bool watched;
    struct sigaction action = {.sa_handler = look_again, .sa_flags = SA_RESTART};
    struct itimerval every = {{WATCHED_SECONDS, 0}, {WATCHED_SECONDS, 0}};
    if (watched) return;
    watched = true;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
}

#endif
