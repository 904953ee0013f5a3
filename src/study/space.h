/* space.h -- what a search tries: parameters of a sentence and the values of each.
 *
 *     space   := item (blank item)*
 *     item    := 'auto' | address '=' element (',' element)*
 *     element := value | '*' | range | 'log(' range ')' | 'linear(' range ')'
 *     range   := from '..' to [':' step | '/' count]
 *     value   := word | number | 'quoted' | "quoted" | '(' balanced text ')'
 *
 *     k=1,3,5 weight=uniform,distance      pca.k=2..20:2      l2=1e-3..1e3/7      weight=*
 *
 * A range is spread as the parameter's descriptor says, in logarithms or evenly, unless log( ) or
 * linear( ) is written; steps are even.  In a grid it has `count` points (7 by default), or every
 * whole number where there are no more than 64; a random search draws from the whole of it.  '*' is
 * every choice, yes and no, or the descriptor's own range; `auto` is '*' for every parameter that
 * has such a range, except those that are written out.  A list as one value is put in parentheses:
 * l2=(0.1,1,10).
 *
 * All is checked when the space is read: names, values, ranges, and that every parameter is read at
 * some point.  Points whose sentences are the same, because a value is not read there, are one. */
#ifndef SMR_STUDY_SPACE_H
#define SMR_STUDY_SPACE_H

#include "learn/address.h"

/* One element: a value, or a range. */
typedef struct smr_space_part {
    char *value;     /* canonical, as smr_param_set takes it; NULL: a range                   */
    double from, to; /* of a range                                                            */
    smr_search scale;
    double step;   /* 0: none   */
    int64_t count; /* 0: none   */
} smr_space_part;

typedef struct smr_dim {
    const smr_address *address; /* among the space's                                          */
    int64_t n_parts;
    smr_space_part *parts;
    int64_t n_values;
    char **values;    /* the grid's, each once                                                */
    bool is_number;   /* REAL, INT, REALS                                                     */
    smr_search scale; /* of its first range; without any, its descriptor's                    */
} smr_dim;

typedef struct smr_space {
    smr_spec *spec; /* a copy: where the search starts from           */
    char *sentence; /* the same, canonical, for people and for logs   */
    char *text;     /* canonical, with full addresses                 */
    smr_addresses addresses;
    int64_t n_dims;
    smr_dim *dims;
} smr_space;

/* over NULL: "auto". */
smr_status smr_space_parse(smr_ctx *ctx, const smr_spec *spec, const char *over, smr_space **out);
/* The same; what is searched automatically is what is read on this data (NULL: not known). */
typedef struct smr_space_on {
    unsigned does;    /* SMR_DOES_*; 0: not known  */
    bool with_target; /* of classes                */
    bool no_numbers;  /* all inputs are categories */
} smr_space_on;
smr_status smr_space_parse_for(smr_ctx *ctx, const smr_spec *spec, const char *over,
                               const smr_space_on *on, smr_space **out);
/* Accepts NULL. */
void smr_space_free(smr_space *space);

/* A place in the space. */
typedef struct smr_space_point {
    smr_spec *spec; /* NULL when the parameters' own rules refuse the values                  */
    char *sentence; /* the same, canonical                                                    */
    char *refusal;  /* their message then                                                     */
    char **value;   /* one for each dim, canonical; NULL where it is not read                 */
} smr_space_point;

typedef struct smr_space_points {
    int64_t n, room, n_dims;
    smr_space_point *at;
    int64_t n_same; /* that were met and left out, because their sentence was already there    */
} smr_space_points;

enum { SMR_GRID_MOST = 100000, SMR_DIM_MOST = 10000 }; /* points; values of one dim */

/* Every combination of the grid's values, the last dim's changing fastest. */
smr_status smr_space_grid(smr_ctx *ctx, const smr_space *space, smr_space_points *out);
/* n points drawn at random by ctx->seed: point i of a longer list is point i of a shorter one.
 * Fewer come back when the space has no more. */
smr_status smr_space_draw(smr_ctx *ctx, const smr_space *space, int64_t n, smr_space_points *out);
void smr_space_points_release(smr_space_points *points);

#endif
