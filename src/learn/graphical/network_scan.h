/* network_scan.h -- words, signs and numbers of the two forms of network files.  Private to
 * network_text.c, network_bif.c and queries. */
#ifndef SMR_LEARN_GRAPHICAL_NETWORK_SCAN_H
#define SMR_LEARN_GRAPHICAL_NETWORK_SCAN_H

#include "learn/graphical/network.h"

typedef struct smr_net_scan {
    const char *p, *end;
    const char *source; /* NULL: a user's words, NUL-terminated */
    int64_t line;
    bool bif;      /* comments are C's, and lines do not matter; else '#' to the end of the line */
    smr_text word; /* the last name */
} smr_net_scan;

/* Skips blanks and comments: in the text form up to the end of the line. */
void smr_scan_blanks(smr_net_scan *s);
/* Skips to the next line that has something; false at the end. */
bool smr_scan_line(smr_net_scan *s);
/* Is the next thing this sign?  Then it is taken. */
bool smr_scan_sign(smr_net_scan *s, char sign);
bool smr_scan_at_end(smr_net_scan *s); /* of the line, or of a BIF file */
/* A name or a level into s->word: bare, or in double quotes with \" and \\. */
smr_status smr_scan_name(smr_ctx *ctx, smr_net_scan *s, const char *what);
/* A decimal, or a fraction of two: 1/3. */
smr_status smr_scan_number(smr_ctx *ctx, smr_net_scan *s, double *value);
/* "source:line: expected WHAT, found '...'". */
smr_status smr_scan_fail(smr_ctx *ctx, smr_net_scan *s, const char *what);
/* The variable, the level that the next name is; names of a file that is being read. */
smr_status smr_scan_variable(smr_ctx *ctx, smr_net_scan *s, const smr_network *net, int64_t *node);
smr_status smr_scan_level(smr_ctx *ctx, smr_net_scan *s, const smr_network *net, int64_t node,
                          int64_t *level);
/* One row of a table: `levels` numbers with commas between them (BIF: or without). */
smr_status smr_scan_row(smr_ctx *ctx, smr_net_scan *s, int64_t levels, double *p);

/* May it be part of a name that is not quoted? */
bool smr_scan_is_bare(char c);

#endif
