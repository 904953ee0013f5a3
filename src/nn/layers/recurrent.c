/* recurrent.c -- units that look back: rnn, lstm, gru.
 *
 * Step t of a sequence, from what comes in, x_t, and what the units gave a step before, y_{t-1};
 * s is the sigmoid, * the product number by number:
 *
 *     rnn   y_t = tanh(W x_t + U y_{t-1} + b)                                                 (1)
 *     lstm  i, f, g, o = W x_t + U y_{t-1} + b
 *           c_t = s(f) * c_{t-1} + s(i) * tanh(g),    y_t = s(o) * tanh(c_t)                  (2)
 *     gru   r, u = s(W x_t + U y_{t-1} + b),  n = tanh(W_n x_t + b_n + r * (U_n y_{t-1} + v))
 *           y_t = (1 - u) * n + u * y_{t-1}                                                   (3)
 *
 * Weights lie gate after gate in that order, as PyTorch has them; it has a second bias, which is
 * added to the first (of gru's n it is v).  Before the first step y and c are 0.
 * direction=backward begins at the last step that counts; both puts the two side by side.  Steps
 * that do not count give 0.  give=last gives what the last step of each direction gave, 0 where no
 * step counts.
 *
 * W X of all steps is one product before the loop; the loop multiplies the y of some rows of the
 * batch by U, and ends in one kernel for a row.  The way back is the same in reverse, and the
 * gradients of W and U are products over all rows and steps.
 *
 * References: Hochreiter & Schmidhuber, Neural Computation 9(8), 1997; Gers, Schmidhuber & Cummins,
 * Neural Computation 12(10), 2000; Cho et al., EMNLP 2014. */
#include "core/parallel.h"
#include "kernel/kernel.h"
#include "kernel/net_kernels.h"
#include "nn/layers.h"
#include "nn/pass.h"

#include <string.h>

enum {
    TILE = 64,     /* units whose gradients are one task          */
    COLUMNS = 256, /* columns of what was given that are one task */
    BLOCK = 16,    /* predicting: steps whose W x are one product */
    AHEAD = 8,     /* numbers that are turned at a time           */
    MOST = 1 << 16,
    PARTS = 4 /* tensors of a direction, at the most */
};

enum direction { FORWARD, BACKWARD, BOTH };
enum give { ALL, LAST };

struct recurrent_params {
    int64_t units;
    int direction, give;
    double forget;
};

static const smr_choice directions[] = {
    {"forward", "from the first step on"},
    {"backward", "from the last step back"},
    {"both", "both, side by side"},
    {NULL, NULL},
};
static const smr_choice gives[] = {
    {"all", "what each step gives: a sequence"},
    {"last", "what the last step gives"},
    {NULL, NULL},
};

#define FIELD(name_) SMR_FIELD(struct recurrent_params, name_)
#define COMMON                                                                              \
    {FIELD(units),                                                                          \
     .def = 100,                                                                            \
     .min = 1,                                                                              \
     .max = MOST,                                                                           \
     .search = SMR_SEARCH_LOG,                                                              \
     .search_min = 16,                                                                      \
     .search_max = 512,                                                                     \
     .doc = "Units of a direction."},                                                       \
        {FIELD(direction), .choices = directions, .doc = "Which way the steps are taken."}, \
    {                                                                                       \
        FIELD(give), .choices = gives, .doc = "What goes out."                              \
    }

static const smr_param table[] = {COMMON};
static const smr_param lstm_table[] = {
    COMMON,
    {FIELD(forget), .def = 1, .min = -10, .max = 10,
     .doc = "What the bias of f begins with: above 0 units remember at first."},
};

/* ---- shapes ----------------------------------------------------------------------------- */

/* What a kind of cell is made of, in units. */
struct cell {
    smr_cell_kind kind;
    int64_t gates; /* of W and U                */
    int64_t wide;  /* numbers of z              */
    int64_t parts; /* tensors of a direction    */
};

static const struct cell cells[] = {
    [SMR_CELL_RNN] = {SMR_CELL_RNN, 1, 1, 3},
    [SMR_CELL_LSTM] = {SMR_CELL_LSTM, 4, 4, 3},
    [SMR_CELL_GRU] = {SMR_CELL_GRU, 3, 4, 4},
};

static const struct cell *cell_of(const smr_layer *layer)
{
    return &cells[layer == &smr_layer_lstm  ? SMR_CELL_LSTM
                  : layer == &smr_layer_gru ? SMR_CELL_GRU
                                            : SMR_CELL_RNN];
}

static int64_t sides_of(const struct recurrent_params *p)
{
    return p->direction == BOTH ? 2 : 1;
}

/* Does side 0 or 1 go back? */
static bool goes_back(const struct recurrent_params *p, int64_t side)
{
    return p->direction == BACKWARD || side == 1;
}

static void lay_side(const struct cell *cell, const struct recurrent_params *p, int64_t d,
                     bool second, smr_nn_layout *out)
{
    int64_t h = p->units, n = cell->gates * h;
    smr_nn_weights *w = smr_nn_layout_drawn(out, second ? "weight_back" : "weight", d, h);
    w->rank = 2;
    w->dim[0] = n;
    w->dim[1] = d;
    w = smr_nn_layout_drawn(out, second ? "recurrent_back" : "recurrent", h, h);
    w->rank = 2;
    w->dim[0] = n;
    w->dim[1] = h;
    w->begin = SMR_BEGIN_TURN;
    w = smr_nn_layout_plain(out, second ? "bias_back" : "bias", n, SMR_BEGIN_ZERO, true);
    if (cell->kind == SMR_CELL_LSTM) {
        w->lo = h;
        w->hi = 2 * h;
        w->value = p->forget;
    }
    if (cell->kind == SMR_CELL_GRU)
        smr_nn_layout_plain(out, second ? "recurrent_bias_back" : "recurrent_bias", h,
                            SMR_BEGIN_ZERO, true);
}

static smr_status lay_cell(smr_ctx *ctx, const struct cell *cell, const void *params,
                           const smr_nn_lay *lay, smr_nn_layout *out)
{
    const struct recurrent_params *p = params;
    smr_nn_item in = lay->in[0];
    int64_t d = in.w * in.c, sides = sides_of(p);
    if (!in.in_time && in.h * in.w == 1)
        return smr_fail(ctx, SMR_ERR_PARAM,
                        "a vector of %lld numbers is no sequence of steps; embed makes steps of "
                        "symbols, and an input of steps x numbers is one (input=50,20, --input "
                        "50x20)",
                        (long long)in.c);
    out->out = p->give == LAST ? (smr_nn_item){1, 1, sides * p->units, false}
                               : (smr_nn_item){in.h, 1, sides * p->units, true};
    for (int64_t s = 0; s < sides; s++) lay_side(cell, p, d, s == 1, out);
    out->products =
        (double)(in.h * sides * cell->gates) * (double)p->units * (double)(d + p->units);
    return SMR_OK;
}

static smr_status lay_rnn(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                          smr_nn_layout *out)
{
    return lay_cell(ctx, &cells[SMR_CELL_RNN], params, lay, out);
}

static smr_status lay_lstm(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                           smr_nn_layout *out)
{
    return lay_cell(ctx, &cells[SMR_CELL_LSTM], params, lay, out);
}

static smr_status lay_gru(smr_ctx *ctx, const void *params, const smr_nn_lay *lay,
                          smr_nn_layout *out)
{
    return lay_cell(ctx, &cells[SMR_CELL_GRU], params, lay, out);
}

/* ---- how they compute ------------------------------------------------------------------- */

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* The sizes of a pass: h units, T steps of d numbers. */
struct sizes {
    const struct cell *cell;
    const struct recurrent_params *params;
    int64_t h, T, d, sides, z, gates; /* z, gates: in numbers */
};

static struct sizes sizes_of(const smr_nn_node *node, const smr_nn_item *in)
{
    const struct cell *cell = cell_of(node->layer);
    const struct recurrent_params *p = node->params;
    return (struct sizes){.cell = cell,
                          .params = p,
                          .h = p->units,
                          .T = in[0].h,
                          .d = in[0].w * in[0].c,
                          .sides = sides_of(p),
                          .z = cell->wide * p->units,
                          .gates = cell->gates * p->units};
}

/* Of gru's n the products with x and with y stay apart: z has a place for each. */
static int64_t joined(const struct sizes *s)
{
    return s->cell->kind == SMR_CELL_GRU ? 2 * s->h : s->gates;
}

static int64_t counted(const smr_nn_pass *p, const struct sizes *s, int64_t row)
{
    return p->steps ? SMR_MIN(s->T, p->steps[row]) : s->T;
}

static bool carries(const void *params)
{
    const struct recurrent_params *p = params;
    return p->direction == FORWARD && p->give == ALL;
}

#define SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/recurrent.inl"
#undef SMR_REAL_IS_F32
#include "nn/real.inl"

#include "nn/layers/recurrent.inl"

/* ---- the words -------------------------------------------------------------------------- */

#define PARAMS(table_)                                 \
    .params = (table_), .n_params = SMR_COUNT(table_), \
    .params_size = sizeof(struct recurrent_params)

const smr_layer smr_layer_rnn = {
    .word = {.name = "rnn",
             .synonyms = "recurrent SimpleRNN elman RNN",
             .family = "layer",
             .title = "Recurrent units",
             .brief = "Units that see each step and what they gave a step before.",
             .objective = "y_t = tanh(W x_t + U y_{t-1} + b)",
             .reference = "Elman, Cognitive Science 14(2), 1990",
             .example = "rnn 64",
             PARAMS(table)},
    .traits = SMR_LAYER_LOOKS_BACK,
    .lay = lay_rnn,
    .carries = carries,
    .code = {&code_f32, &code_f64},
};

const smr_layer smr_layer_lstm = {
    .word = {.name = "lstm",
             .synonyms = "LSTM long_short_term_memory",
             .family = "layer",
             .title = "Long short-term memory",
             .brief = "Recurrent units with a memory that gates open and close.",
             .objective = "c_t = s(f) * c_{t-1} + s(i) * tanh(g),  y_t = s(o) * tanh(c_t)",
             .reference = "Hochreiter & Schmidhuber, Neural Computation 9(8), 1997; Gers, "
                          "Schmidhuber & Cummins, Neural Computation 12(10), 2000",
             .example = "lstm 128 direction=both",
             PARAMS(lstm_table)},
    .traits = SMR_LAYER_LOOKS_BACK,
    .lay = lay_lstm,
    .carries = carries,
    .code = {&code_f32, &code_f64},
};

const smr_layer smr_layer_gru = {
    .word = {.name = "gru",
             .synonyms = "GRU gated_recurrent_unit",
             .family = "layer",
             .title = "Gated recurrent units",
             .brief = "Recurrent units with two gates.",
             .objective = "y_t = (1 - u) * n + u * y_{t-1},  n = tanh(W_n x_t + r * U_n y_{t-1})",
             .reference = "Cho et al., EMNLP 2014",
             .example = "gru 128 give=last",
             PARAMS(table)},
    .traits = SMR_LAYER_LOOKS_BACK,
    .lay = lay_gru,
    .carries = carries,
    .code = {&code_f32, &code_f64},
};
