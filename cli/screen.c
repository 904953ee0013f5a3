/* screen.c -- see screen.h.  A process has one terminal: what it is stands here, nowhere else. */
#define _GNU_SOURCE
#include "screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_WIDTH = 40 };

enum { CURVE = 24 };

static struct {
    int64_t width;    /* of standard output; 0: it is no terminal                   */
    int64_t line;     /* columns of standard error's                                */
    bool styled;      /* standard output shows bold letters                         */
    bool coloured;    /* standard error shows colours                               */
    bool line_shown;  /* there is a line of progress                                */
    char what[64];    /* the work under way                                         */
    double began;     /* when it did                                                */
    int64_t at_first; /* how much of it was done when it was first heard of         */
    bool drawn;       /* standard error shows more than ASCII                       */
    int n_curve;
    double curve[CURVE]; /* the figure over the work so far, in equal parts of all of it */
} screen;

static int64_t columns_of(int file)
{
    struct winsize size;
    if (!isatty(file)) return 0;
    if (ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return SMR_MAX(LEAST_WIDTH, size.ws_col);
}

/* Is the text of the terminal UTF-8? */
static bool shows_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < SMR_COUNT(names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return false;
}

void screen_begin(void)
{
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
    bool allowed = !(off && *off) && term && strcmp(term, "dumb") != 0;
    screen.width = columns_of(STDOUT_FILENO);
    screen.line = columns_of(STDERR_FILENO);
    screen.styled = allowed && screen.width;
    screen.coloured = allowed && screen.line;
    screen.drawn = screen.coloured && shows_unicode();
}

smr_text screen_text(smr_ctx *ctx)
{
    return (smr_text){.ctx = ctx, .width = screen.width, .styled = screen.styled};
}

/* ---- long lines ------------------------------------------------------------------------- */

/* Columns that a line takes: escape sequences take none. */
static int64_t shown_width(const char *line, int64_t n)
{
    int64_t width = 0;
    for (int64_t i = 0; i < n; i++) {
        if (line[i] == '\033')
            while (i < n && line[i] != 'm') i++;
        else
            width += smr_text_width(line + i, 1);
    }
    return width;
}

static void fold_line(char *line, int64_t n, int64_t width, smr_text *out)
{
    int64_t indent = 0;
    while (indent < n && line[indent] == ' ') indent++;
    char kept = line[n];
    line[n] = '\0';
    smr_text_add_bytes(out, line, indent);
    smr_text_wrap(out, line + indent, indent, indent + 2, width);
    line[n] = kept;
}

void screen_fold(const smr_text *text, smr_text *out)
{
    for (int64_t at = 0; at < text->length;) {
        char *line = text->bytes + at, *end = memchr(line, '\n', (size_t)(text->length - at));
        int64_t n = end ? end - line : text->length - at;
        if (shown_width(line, n) > text->width)
            fold_line(line, n, text->width, out);
        else
            smr_text_add_bytes(out, line, n);
        if (end) smr_text_add(out, "\n");
        at += n + 1;
    }
}

/* ---- standard error --------------------------------------------------------------------- */

void screen_clear_line(void)
{
    if (screen.line_shown) fputs("\r\033[K", stderr);
    screen.line_shown = false;
}

void screen_say(const char *label, const char *message)
{
    bool warning = label && strcmp(label, "warning") == 0;
    const char *colour = warning ? "\033[33m" : "\033[31m";
    screen_clear_line();
    if (label && screen.coloured)
        fprintf(stderr, "%ssamara:%s\033[0m %s\n", colour, warning ? " warning:" : "", message);
    else
        fprintf(stderr, "samara:%s %s\n", warning ? " warning:" : "", message);
}

bool screen_is_watched(void)
{
    return screen.line > 0;
}

void screen_row(const char *line)
{
    screen_clear_line();
    fprintf(stderr, "%s\n", line);
}

enum { ROOM = 32 };
static const double SHORT_WAIT = 2, LONG_WAIT = 4; /* seconds */

/* "45 s", "3 min 20 s", "2 h 10 min", "4 days 7 h" */
static void write_duration(double seconds, char to[ROOM])
{
    long long s = (long long)(seconds + 0.5);
    if (s < 60)
        snprintf(to, ROOM, "%lld s", s);
    else if (s < 3600)
        snprintf(to, ROOM, "%lld min %lld s", s / 60, s % 60);
    else if (s < 100 * 3600)
        snprintf(to, ROOM, "%lld h %lld min", s / 3600, s % 3600 / 60);
    else
        snprintf(to, ROOM, "%lld days %lld h", s / 86400, s % 86400 / 3600);
}

/* Seconds until it is done, if it goes on as it did; NaN before that can be said.  A hundredth of
 * the work says it well; whoever waits longer for that is told what is known so far. */
static double time_left(const char *what, int64_t done, int64_t total)
{
    double now = smr_now();
    if (strncmp(screen.what, what, sizeof screen.what - 1) != 0 || done < screen.at_first) {
        snprintf(screen.what, sizeof screen.what, "%s", what);
        screen.began = now;
        screen.at_first = done;
        screen.n_curve = 0;
    }
    double spent = now - screen.began, did = (double)(done - screen.at_first);
    bool early = spent < (100 * did < (double)total ? LONG_WAIT : SHORT_WAIT);
    return total <= 0 || did <= 0 || early ? NAN : spent / did * (double)(total - done);
}

/* "37 %", or below one "1593 of 199800000", which moves where a share would stand still. */
static int write_share(int64_t done, int64_t total, char *to, size_t room)
{
    if (done > 0 && done < total / 100)
        return snprintf(to, room, " %lld of %lld", (long long)done, (long long)total);
    return snprintf(to, room, " %d %%", (int)(100 * done / total));
}

/* ---- the curve of a figure ---- */

static void keep_figure(int64_t done, int64_t total, double figure)
{
    if (total <= 0 || !isfinite(figure)) return;
    int part = (int)SMR_MIN(CURVE - 1, (double)done / (double)total * CURVE);
    while (screen.n_curve <= part) screen.curve[screen.n_curve++] = figure;
    screen.curve[part] = figure;
}

/* The figure so far as columns of eight heights, and how many; its first, early values may tower
 * above all others, so heights are those of its square root's share. */
static int write_curve(char to[3 * CURVE + 1])
{
    double least = INFINITY, most = -INFINITY;
    int n = 0;
    *to = '\0';
    if (!screen.drawn || screen.n_curve < 2) return 0;
    for (int i = 0; i < screen.n_curve; i++) {
        least = smr_fmin(least, screen.curve[i]);
        most = smr_fmax(most, screen.curve[i]);
    }
    if (!(most > least)) return 0;
    for (int i = 0; i < screen.n_curve; i++) {
        int height = (int)(7.999 * sqrt((screen.curve[i] - least) / (most - least)));
        n += sprintf(to + n, "\xe2\x96%c", 0x81 + height);
    }
    return screen.n_curve;
}

/* The bar gives way where words and figures need the room of the line. */
void screen_progress(const char *what, int64_t done, int64_t total, double figure)
{
    enum { WIDTH = 30, LEAST = 5 };
    char bar[WIDTH + 1], left[ROOM], end[128] = "", curve[3 * CURVE + 1];
    int n = 0, size = sizeof end;
    if (!screen.line) return;
    double seconds = time_left(what, done, total);
    if (total > 0) n += write_share(done, total, end, sizeof end);
    if (!isnan(seconds)) {
        write_duration(seconds, left);
        n += snprintf(end + n, (size_t)(size - n), "  %s left", left);
    }
    if (!isnan(figure)) n += snprintf(end + n, (size_t)(size - n), "  %.6g", figure);
    int room = (int)screen.line - 1 - (int)SMR_MIN(60, strlen(what)) - 3 - n;
    keep_figure(done, total, figure);
    int columns = write_curve(curve);
    if (room - columns - 2 < LEAST) *curve = '\0';
    if (*curve) room -= columns + 2;
    int width = SMR_MAX(LEAST, SMR_MIN(WIDTH, room));
    int filled = total > 0 ? (int)(width * SMR_MIN(done, total) / total) : 0;
    memset(bar, '#', (size_t)filled);
    memset(bar + filled, ' ', (size_t)(width - filled));
    bar[width] = '\0';
    char line[256];
    snprintf(line, sizeof line, "%.60s [%s]%s", what, bar, end);
    fprintf(stderr, "\r\033[K%.*s", (int)screen.line - 1, line); /* a second line would stay */
    if (*curve) fprintf(stderr, "  %s", curve);
    fflush(stderr);
    screen.line_shown = true;
}
