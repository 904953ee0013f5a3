/* network.h -- Bayesian networks: named variables with levels, a graph, and conditional tables.
 *
 *     P(x_1 ... x_n) = product_i P(x_i | parents of i)                                        (1)
 *
 * The table of node i begins at p[at[i]]: one row of levels[i] probabilities for each combination
 * of its parents' levels, the last parent's changing fastest.  A file may leave rows a little off 1
 * (0.333, 0.333, 0.333): up to 1e-3 they are divided by their sum, from 1e-9 on; more is an error
 * that names the row. */
#ifndef SMR_LEARN_GRAPHICAL_NETWORK_H
#define SMR_LEARN_GRAPHICAL_NETWORK_H

#include "core/text.h"
#include "data/table.h"
#include "data/vocab.h"
#include "learn/graphical/dag.h"

enum { SMR_NET_MOST_NODES = 100000, SMR_NET_MOST_LEVELS = 10000 };
#define SMR_NET_MOST_CELLS ((int64_t)1 << 26)

/* Graph and tables, without names: what inference needs. */
typedef struct smr_tables {
    smr_dag dag;
    const int64_t *levels; /* n     */
    const int64_t *at;     /* n + 1 */
    const double *p;
} smr_tables;

struct smr_network { /* samara.h */
    char *name;      /* NULL: none */
    int64_t n;
    smr_vocab names;    /* the code of a name is its node */
    smr_strings *level; /* n: names of the levels         */
    int64_t *levels;    /* n: how many                    */
    int64_t *start;     /* n + 1                          */
    int32_t *parent;    /* start[n]                       */
    int64_t *at;        /* n + 1                          */
    double *p;          /* at[n]                          */
    int32_t *order;     /* parents first                  */
};

/* Accepts a network that is {0}. */
void smr_net_release(smr_network *net);

static inline smr_dag smr_net_dag(const smr_network *net)
{
    return (smr_dag){net->n, net->start, net->parent};
}

static inline smr_tables smr_net_tables(const smr_network *net)
{
    return (smr_tables){smr_net_dag(net), net->levels, net->at, net->p};
}

/* Adds the name of a node, of a level. */
void smr_net_say(const smr_network *net, int64_t node, smr_text *out);
void smr_net_say_level(const smr_network *net, int64_t node, int64_t level, smr_text *out);

/* The node of this name, or an error that offers a near one.  where: "file:line", or NULL where
 * the name is a user's. */
smr_status smr_net_find(smr_ctx *ctx, const smr_network *net, const char *where, const char *name,
                        int64_t length, int64_t *node);
smr_status smr_net_find_level(smr_ctx *ctx, const smr_network *net, int64_t node, const char *where,
                              const char *name, int64_t length, int64_t *level);

/* ---- building ---- */

/* A network while a file is read: variables, then families in any order. */
typedef struct smr_net_family {
    int32_t *parent;
    int64_t n_parents;
    double *p; /* rows x levels; NULL: no table yet */
    int64_t n_rows;
    bool *set;    /* rows: given                       */
    int64_t line; /* where it began                    */
} smr_net_family;

typedef struct smr_net_draft {
    smr_network net; /* names and levels so far */
    smr_net_family *family;
    int64_t room;
    const char *source; /* for messages */
} smr_net_draft;

smr_status smr_draft_variable(smr_ctx *ctx, smr_net_draft *d, int64_t line, const char *name,
                              int64_t length, int64_t *node);
/* Levels of the newest variable, one by one. */
smr_status smr_draft_level(smr_ctx *ctx, smr_net_draft *d, int64_t line, int64_t node,
                           const char *name, int64_t length);
/* The family of a node: *family with room for its table, nothing set. */
smr_status smr_draft_family(smr_ctx *ctx, smr_net_draft *d, int64_t line, int64_t node,
                            int64_t n_parents, const int32_t *parent);
/* Every variable has a table without gaps, rows sum to 1, no cycle: *out owns it all. */
smr_status smr_draft_finish(smr_ctx *ctx, smr_net_draft *d, smr_network *out);
void smr_draft_release(smr_net_draft *d);

/* A row of a node's table in words: "P(dysp | bronc=yes, either=no)". */
void smr_net_say_row(const smr_network *net, const int32_t *parent, int64_t n_parents, int64_t node,
                     int64_t row, smr_text *out);

/* ---- files ---- */

enum { SMR_NET_MOST_BYTES = 1 << 28 };

/* From text, in samara's own form (docs/bayesnet.md) or as BIF; `source` names it in messages. */
smr_status smr_net_read_text(smr_ctx *ctx, const char *source, const char *text, int64_t length,
                             smr_network *out);
smr_status smr_net_read_bif(smr_ctx *ctx, const char *source, const char *text, int64_t length,
                            smr_network *out);
/* Either of them, by its first words. */
smr_status smr_net_parse(smr_ctx *ctx, const char *source, const char *text, int64_t length,
                         smr_network *out);
smr_status smr_net_read(smr_ctx *ctx, const char *path, smr_network *out);

void smr_net_write_text(const smr_network *net, smr_text *out);
void smr_net_write_bif(const smr_network *net, smr_text *out);
/* In the form that the name's end asks for: .bif, else samara's own; "-": standard output. */
smr_status smr_net_save(smr_ctx *ctx, const smr_network *net, const char *path);

/* The edges as a list, "a -> b, a -> c"; names are quoted where they need to be. */
void smr_net_write_edges(const smr_network *net, smr_text *out);
/* A name as the text form has it: as it is, or in quotes. */
void smr_net_write_name(const char *name, int64_t length, smr_text *out);

#endif
