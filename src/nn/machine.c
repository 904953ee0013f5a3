/* machine.c -- see machine.h. */
#include "nn/machine.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 16, MOST_CHUNK = 256, MOST_FROM = 64, ARENA = 2 << 20 };

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* ---- weights ---------------------------------------------------------------------------- */

smr_status smr_nn_values_create(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real,
                                smr_nn_values *out)
{
    smr_status st = SMR_OK;
    int64_t bytes = 0, size = (int64_t)smr_real_size(real);
    char *at;
    *out = (smr_nn_values){0};
    for (int64_t i = 0; i < graph->n; i++)
        for (int64_t k = 0; k < graph->node[i].layout.n_weights; k++)
            bytes += round_up(smr_nn_weights_size(&graph->node[i].layout.weights[k]) * size);
    TRY_NEW(out->tensor, graph->n * SMR_LAYER_WEIGHTS + 1);
    out->block = at = smr_alloc(ctx, bytes + 64, 1);
    if (!at) TRY(SMR_ERR_NOMEM);
    for (int64_t i = 0; i < graph->n; i++)
        for (int64_t k = 0; k < graph->node[i].layout.n_weights; k++) {
            int64_t n = smr_nn_weights_size(&graph->node[i].layout.weights[k]);
            out->tensor[i * SMR_LAYER_WEIGHTS + k] = at;
            out->n += n;
            at += round_up(n * size);
        }
out:
    if (st != SMR_OK) smr_nn_values_release(out);
    return st;
}

void smr_nn_values_release(smr_nn_values *values)
{
    smr_free(values->tensor);
    smr_free(values->block);
    *values = (smr_nn_values){0};
}

/* ---- memory ----------------------------------------------------------------------------- */

static const smr_nn_code *code_of(const smr_nn_machine *m, int64_t i)
{
    return m->graph->node[i].layer->code[m->real];
}

static int64_t item_bytes(const smr_nn_machine *m, smr_nn_item item)
{
    return smr_nn_item_size(item) * (int64_t)smr_real_size(m->real);
}

/* ---- how long rows are ------------------------------------------------------------------ */

static double get_f32(const void *x, int64_t i)
{
    return (double)((const float *)x)[i];
}

static double get_f64(const void *x, int64_t i)
{
    return ((const double *)x)[i];
}

/* The node that sees the input as symbols, and where its steps become those of the net. */
static void find_length(smr_nn_machine *m)
{
    const smr_nn_graph *graph = m->graph;
    m->counts = -1;
    m->length = graph->in.h;
    for (int64_t i = 0; i < graph->n; i++) {
        const smr_nn_node *node = &graph->node[i];
        if (!node->layer->count || node->from[0] != SMR_NET_INPUT || graph->in.in_time) continue;
        if (!node->layout.out.in_time) continue;
        m->counts = i;
        m->length = node->layout.out.h;
        return;
    }
}

/* NULL: all steps of all rows count. */
static const int32_t *count_steps(const smr_nn_machine *m, const void *x, int64_t n, int32_t *to)
{
    if (m->counts < 0) return NULL;
    const smr_nn_node *node = &m->graph->node[m->counts];
    int64_t size = smr_nn_item_size(m->graph->in);
    for (int64_t r = 0; r < n; r++)
        to[r] = (int32_t)node->layer->count(
            node->params, smr_nn_beyond((void *)(uintptr_t)x, r * item_bytes(m, m->graph->in)),
            m->real == SMR_REAL_F32 ? get_f32 : get_f64, size);
    return to;
}

/* ---- plans ---------------------------------------------------------------------------- */

/* The last node that reads what node i gives. */
static int64_t last_use(const smr_nn_graph *graph, int64_t i)
{
    int64_t last = i == graph->n - 1 ? graph->n : i;
    for (int64_t k = i + 1; k < graph->n; k++)
        for (int64_t f = 0; f < graph->node[k].n_from; f++)
            if (graph->node[k].from[f] == i) last = SMR_MAX(last, k);
    return last;
}

/* Predicting: a place for node i that no node in use shares, the first where it fits. */
static int64_t share_place(const smr_nn_machine *m, const int64_t *use, int64_t i, int64_t bytes)
{
    int64_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int64_t k = 0; k < i; k++) {
            int64_t from = m->place[k].y;
            int64_t to = from + round_up(item_bytes(m, m->graph->node[k].layout.out));
            if (use[k] < i || at >= to || at + bytes <= from) continue;
            at = to;
            moved = true;
        }
    }
    return at;
}

static void plan_node(smr_nn_machine *m, const int64_t *use, int64_t i)
{
    const smr_nn_node *node = &m->graph->node[i];
    smr_nn_place *p = &m->place[i];
    const smr_nn_code *code = code_of(m, i);
    int64_t bytes = round_up(item_bytes(m, node->layout.out));
    if (code->needs) p->needs = code->needs(node, p->in, m->chunk, m->rows, m->training);
    p->packed = m->packed_bytes;
    m->packed_bytes += round_up(p->needs.packed);
    m->scratch_bytes = SMR_MAX(m->scratch_bytes, round_up(p->needs.scratch));
    if (!m->training) {
        p->state = m->state_bytes;
        m->state_bytes += round_up(p->needs.state);
        p->y = share_place(m, use, i, bytes);
        m->row_bytes = SMR_MAX(m->row_bytes, p->y + bytes);
        return;
    }
    p->y = m->row_bytes;
    p->d = p->y + bytes;
    p->kept = p->d + bytes;
    m->row_bytes = p->kept + round_up(p->needs.kept);
    p->found = m->batch_bytes;
    p->collected = p->found + round_up(p->needs.found);
    m->batch_bytes = p->collected + round_up(p->needs.collected);
}

static smr_status plan(smr_ctx *ctx, smr_nn_machine *m)
{
    smr_status st = SMR_OK;
    int64_t *use = NULL, n_items = 0;
    TRY_NEW(use, m->graph->n + 1);
    for (int64_t i = 0; i < m->graph->n; i++) n_items += m->graph->node[i].n_from;
    TRY_NEW(m->place, m->graph->n + 1);
    TRY_NEW(m->items, n_items + 1);
    smr_nn_item *item = m->items;
    for (int64_t i = 0; i < m->graph->n; i++) {
        const smr_nn_node *node = &m->graph->node[i];
        use[i] = m->training ? 0 : last_use(m->graph, i);
        m->place[i].in = item;
        for (int64_t k = 0; k < node->n_from; k++)
            *item++ = node->from[k] == SMR_NET_INPUT ? m->graph->in
                                                     : m->graph->node[node->from[k]].layout.out;
    }
    for (int64_t i = 0; i < m->graph->n; i++) plan_node(m, use, i);
out:
    smr_free(use);
    return st;
}

static smr_status begin(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real, int64_t rows,
                        bool training, smr_nn_machine *m)
{
    smr_status st = SMR_OK;
    *m = (smr_nn_machine){
        .graph = graph, .real = real, .training = training, .rows = rows, .chunk = CHUNK};
    find_length(m);
    TRY(plan(ctx, m));
    if (training) goto out;
    /* Predicting: as many rows at once as fit into a cache, whatever the machine. */
    m->chunk = SMR_MAX(1, SMR_MIN(SMR_MIN(MOST_CHUNK, rows), ARENA / (m->row_bytes + 1)));
    m->row_bytes = m->packed_bytes = m->scratch_bytes = m->state_bytes = 0;
    smr_free(m->place);
    smr_free(m->items);
    m->place = NULL;
    m->items = NULL;
    TRY(plan(ctx, m));
out:
    return st;
}

static double bytes_of(const smr_nn_machine *m, int lanes)
{
    double weights = 0;
    for (int64_t i = 0; i < m->graph->n; i++)
        for (int64_t k = 0; k < m->graph->node[i].layout.n_weights; k++)
            weights += (double)smr_nn_weights_size(&m->graph->node[i].layout.weights[k]);
    weights *= (double)smr_real_size(m->real);
    if (!m->training) return weights + (double)m->packed_bytes;
    weights += 2 * (double)m->rows;
    return 2 * weights + (double)m->packed_bytes + (double)m->batch_bytes +
           (double)m->row_bytes * (double)m->rows + (double)lanes * (double)m->scratch_bytes;
}

double smr_nn_machine_bytes(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real, int64_t rows,
                            bool training)
{
    smr_nn_machine m = {0};
    double bytes = 0;
    if (begin(ctx, graph, real, rows, training, &m) == SMR_OK) bytes = bytes_of(&m, smr_lanes(ctx));
    smr_free(m.place);
    smr_free(m.items);
    return bytes;
}

/* tensor NULL: weights of its own. */
static smr_status take_memory(smr_ctx *ctx, smr_nn_machine *m, void *const *tensor)
{
    smr_status st = SMR_OK;
    int64_t n = m->graph->n * SMR_LAYER_WEIGHTS;
    if (tensor) {
        TRY_NEW(m->w.tensor, n + 1);
        for (int64_t t = 0; t < n; t++) m->w.tensor[t] = tensor[t];
    } else {
        TRY(smr_nn_values_create(ctx, m->graph, m->real, &m->w));
    }
    TRY_NEW(m->packed, m->packed_bytes + 64);
    if (!m->training) goto out;
    TRY(smr_nn_values_create(ctx, m->graph, m->real, &m->g));
    TRY_NEW(m->counted, m->rows + 1);
    m->row_memory = smr_alloc(ctx, m->rows, (size_t)m->row_bytes);
    if (!m->row_memory) TRY(SMR_ERR_NOMEM);
    TRY_NEW(m->batch_memory, m->batch_bytes + 64);
    m->scratch = smr_alloc(ctx, smr_lanes(ctx), (size_t)m->scratch_bytes + 64);
    if (!m->scratch) TRY(SMR_ERR_NOMEM);
out:
    return st;
}

static smr_status create(smr_ctx *ctx, const smr_nn_machine *how, void *const *tensor,
                         smr_nn_machine **out)
{
    smr_status st = SMR_OK;
    smr_nn_machine *m = NULL;
    *out = NULL;
    TRY_NEW(m, 1);
    TRY(begin(ctx, how->graph, how->real, how->rows, how->training, m));
    TRY(take_memory(ctx, m, tensor));
    *out = m;
    m = NULL;
out:
    smr_nn_machine_free(m);
    return st;
}

smr_status smr_nn_machine_create(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real,
                                 int64_t rows, bool training, smr_nn_machine **out)
{
    const smr_nn_machine how = {.graph = graph, .real = real, .rows = rows, .training = training};
    return create(ctx, &how, NULL, out);
}

smr_status smr_nn_machine_over(smr_ctx *ctx, const smr_nn_graph *graph, smr_real real, int64_t rows,
                               void *const *tensor, smr_nn_machine **out)
{
    const smr_nn_machine how = {.graph = graph, .real = real, .rows = rows};
    return create(ctx, &how, tensor, out);
}

void smr_nn_machine_free(smr_nn_machine *m)
{
    if (!m) return;
    smr_nn_values_release(&m->w);
    smr_nn_values_release(&m->g);
    smr_free(m->place);
    smr_free(m->items);
    smr_free(m->counted);
    smr_free(m->row_memory);
    smr_free(m->batch_memory);
    smr_free(m->packed);
    smr_free(m->scratch);
    smr_free(m);
}

/* ---- where things are ------------------------------------------------------------------- */

/* Training: the rows of one node lie together, those of a row from `offset` on. */
static char *rows_at(const smr_nn_machine *m, int64_t offset, int64_t bytes, int64_t first)
{
    return m->row_memory + offset * m->rows + bytes * first;
}

static char *answers_of(const smr_nn_machine *m, int64_t i, int64_t first)
{
    return rows_at(m, m->place[i].y, item_bytes(m, m->graph->node[i].layout.out), first);
}

static char *slopes_of(const smr_nn_machine *m, int64_t i, int64_t first)
{
    return rows_at(m, m->place[i].d, item_bytes(m, m->graph->node[i].layout.out), first);
}

/* What comes into node i is as many steps long as what came into the net. */
static const int32_t *steps_of(const smr_nn_machine *m, int64_t i, const int32_t *steps)
{
    return m->place[i].in[0].h == m->length ? steps : NULL;
}

/* What a pass through node i needs, but for what it reads and hands back. */
static smr_nn_pass pass_of(const smr_nn_machine *m, int64_t i, int64_t first, int64_t n)
{
    const smr_nn_place *p = &m->place[i];
    smr_nn_pass pass = {.node = &m->graph->node[i],
                        .in = p->in,
                        .number = i,
                        .first = first,
                        .n = n,
                        .n_batch = m->n,
                        .training = m->training,
                        .seed = m->seed,
                        .step = m->step,
                        .w = m->w.tensor + i * SMR_LAYER_WEIGHTS,
                        .packed = m->packed + p->packed};
    if (!m->training) return pass;
    pass.steps = steps_of(m, i, m->steps ? m->steps + first : NULL);
    pass.y = answers_of(m, i, first);
    pass.dy = slopes_of(m, i, first);
    pass.g = m->g.tensor + i * SMR_LAYER_WEIGHTS;
    pass.kept = rows_at(m, p->kept, p->needs.kept, first);
    pass.found = m->batch_memory + p->found;
    pass.collected = m->batch_memory + p->collected;
    return pass;
}

static void find_inputs(const smr_nn_machine *m, int64_t i, int64_t first, void *dx,
                        const void *x[MOST_FROM], void *to[MOST_FROM])
{
    const smr_nn_node *node = &m->graph->node[i];
    int64_t bytes = item_bytes(m, m->graph->in);
    for (int64_t k = 0; k < node->n_from; k++) {
        bool is_input = node->from[k] == SMR_NET_INPUT;
        x[k] = is_input ? (const char *)m->x + first * bytes : answers_of(m, node->from[k], first);
        if (is_input)
            to[k] = dx ? (char *)dx + first * bytes : NULL;
        else
            to[k] = slopes_of(m, node->from[k], first);
    }
}

/* ---- a batch ---------------------------------------------------------------------------- */

enum work { WORK_PACK, WORK_FORWARD, WORK_BACKWARD, WORK_SETTLE, WORK_COLLECT, WORK_GRADIENT };

/* Nodes lo .. hi, between two that look at the whole batch. */
struct job {
    smr_nn_machine *m;
    enum work work;
    int64_t lo, hi;
    void *dx;
    bool back;
};

static void run_node(const struct job *job, int64_t i, int64_t first, int64_t n, char *scratch)
{
    const smr_nn_code *code = code_of(job->m, i);
    const void *x[MOST_FROM];
    void *dx[MOST_FROM];
    smr_nn_pass pass = pass_of(job->m, i, first, n);
    find_inputs(job->m, i, first, job->dx, x, dx);
    pass.x = x;
    pass.dx = dx;
    pass.scratch = scratch;
    if (job->work == WORK_BACKWARD) {
        code->backward(&pass);
        return;
    }
    memset(slopes_of(job->m, i, first), 0,
           (size_t)(n * item_bytes(job->m, job->m->graph->node[i].layout.out)));
    code->forward(&pass);
}

static smr_status run_chunk(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct job *job = arg;
    smr_nn_machine *m = job->m;
    int64_t first = task * CHUNK, n = SMR_MIN(CHUNK, m->n - first);
    char *scratch = m->scratch + lane * (m->scratch_bytes + 64);
    (void)ctx;
    for (int64_t i = job->lo; job->work == WORK_FORWARD && i < job->hi; i++)
        run_node(job, i, first, n, scratch);
    for (int64_t i = job->hi - 1; job->work == WORK_BACKWARD && i >= job->lo; i--)
        run_node(job, i, first, n, scratch);
    return SMR_OK;
}

/* One tile of one node, over the whole batch; or its weights as panels. */
static smr_status run_tile(smr_ctx *ctx, void *arg, int64_t task, int lane)
{
    const struct job *job = arg;
    smr_nn_machine *m = job->m;
    const void *x[MOST_FROM];
    void *dx[MOST_FROM];
    int64_t i = job->lo;
    (void)ctx;
    for (; job->work != WORK_SETTLE; i++) {
        const smr_nn_code *code = code_of(m, i);
        int64_t tiles = job->work == WORK_GRADIENT  ? m->place[i].needs.tiles
                        : job->work == WORK_COLLECT ? m->place[i].needs.collects
                                                    : code->pack != NULL;
        if (task < tiles) break;
        task -= tiles;
    }
    smr_nn_pass pass = pass_of(m, i, 0, m->n);
    if (job->work != WORK_PACK) { /* which reads the weights alone, and may come before any batch */
        find_inputs(m, i, 0, NULL, x, dx);
        pass.x = x;
    }
    pass.scratch = m->scratch ? m->scratch + lane * (m->scratch_bytes + 64) : NULL;
    const smr_nn_code *code = code_of(m, i);
    switch (job->work) {
    case WORK_PACK: code->pack(&pass); break;
    case WORK_SETTLE: code->settle(&pass, job->back, task); break;
    case WORK_COLLECT: code->collect(&pass, task); break;
    case WORK_GRADIENT: code->gradient(&pass, task); break;
    case WORK_FORWARD:
    case WORK_BACKWARD: break;
    }
    return SMR_OK;
}

static int64_t count_tiles(const struct job *job)
{
    int64_t sum = 0;
    for (int64_t i = job->lo; i < job->hi; i++) {
        const smr_nn_code *code = code_of(job->m, i);
        sum += job->work == WORK_GRADIENT  ? job->m->place[i].needs.tiles
               : job->work == WORK_COLLECT ? job->m->place[i].needs.collects
                                           : code->pack != NULL;
    }
    return sum;
}

static smr_status run_tiles(smr_ctx *ctx, struct job job)
{
    return smr_parallel(ctx, NULL, count_tiles(&job), run_tile, &job);
}

smr_status smr_nn_pack(smr_ctx *ctx, smr_nn_machine *m)
{
    return run_tiles(ctx, (struct job){.m = m, .work = WORK_PACK, .hi = m->graph->n});
}

static bool settles(const smr_nn_machine *m, int64_t i)
{
    return m->training && code_of(m, i)->settle;
}

static smr_status settle(smr_ctx *ctx, smr_nn_machine *m, int64_t i, bool back)
{
    struct job job = {.m = m, .work = WORK_SETTLE, .lo = i, .hi = i + 1, .back = back};
    return smr_parallel(ctx, NULL, m->place[i].needs.settles, run_tile, &job);
}

smr_status smr_nn_forward(smr_ctx *ctx, smr_nn_machine *m, const void *x, int64_t n, uint64_t seed,
                          uint64_t step)
{
    smr_status st = SMR_OK;
    struct job job = {.m = m, .work = WORK_FORWARD};
    m->x = x;
    m->n = n;
    m->seed = seed;
    m->step = step;
    m->steps = m->given ? m->given : count_steps(m, x, n, m->counted);
    for (job.lo = 0; job.lo < m->graph->n; job.lo = job.hi) {
        if (settles(m, job.lo)) TRY(settle(ctx, m, job.lo, false));
        job.hi = job.lo + 1;
        while (job.hi < m->graph->n && !settles(m, job.hi)) job.hi++;
        TRY(smr_parallel(ctx, NULL, smr_block_count(n, CHUNK), run_chunk, &job));
    }
out:
    return st;
}

void *smr_nn_answers(const smr_nn_machine *m)
{
    return answers_of(m, m->graph->n - 1, 0);
}

void *smr_nn_slopes(const smr_nn_machine *m)
{
    return slopes_of(m, m->graph->n - 1, 0);
}

const void *smr_nn_node_answers(const smr_nn_machine *m, int64_t i)
{
    return answers_of(m, i, 0);
}

const void *smr_nn_node_slopes(const smr_nn_machine *m, int64_t i)
{
    return slopes_of(m, i, 0);
}

int64_t smr_nn_odd_node(const smr_nn_machine *m)
{
    for (int64_t i = 0; i < m->graph->n; i++) {
        const void *y = answers_of(m, i, 0);
        int64_t n = m->n * smr_nn_item_size(m->graph->node[i].layout.out);
        for (int64_t e = 0; e < n; e++)
            if (!isfinite(m->real == SMR_REAL_F32 ? (double)((const float *)y)[e]
                                                  : ((const double *)y)[e]))
                return i;
    }
    return -1;
}

smr_status smr_nn_backward(smr_ctx *ctx, smr_nn_machine *m, void *dx)
{
    smr_status st = SMR_OK;
    struct job job = {.m = m, .work = WORK_BACKWARD, .dx = dx};
    for (job.hi = m->graph->n; job.hi > 0; job.hi = job.lo) {
        if (settles(m, job.hi - 1)) {
            TRY(settle(ctx, m, job.hi - 1, true));
            job.lo = job.hi - 1;
        } else {
            job.lo = job.hi - 1;
            while (job.lo > 0 && !settles(m, job.lo - 1)) job.lo--;
        }
        TRY(smr_parallel(ctx, NULL, smr_block_count(m->n, CHUNK), run_chunk, &job));
    }
    struct job rest = {.m = m, .work = WORK_COLLECT, .hi = m->graph->n};
    TRY(run_tiles(ctx, rest));
    rest.work = WORK_GRADIENT;
    TRY(run_tiles(ctx, rest));
out:
    return st;
}

/* ---- predicting ------------------------------------------------------------------------- */

int64_t smr_nn_scratch(const smr_nn_machine *m)
{
    return round_up(m->row_bytes * m->chunk) + m->scratch_bytes + round_up(4 * m->chunk) + 64;
}

/* Rows that are answered: n of them, their steps that count, what they carry along. */
struct asked {
    const void *x;
    int64_t n;
    const int32_t *steps;
    char *state;
    char *memory, *beyond; /* of the scratch: what nodes give, and the rest */
};

static struct asked ask(const smr_nn_machine *m, const void *x, int64_t n, const int32_t *steps,
                        void *state, void *scratch)
{
    struct asked a = {x, n, steps, state, scratch, NULL};
    a.beyond = a.memory + round_up(m->row_bytes * m->chunk);
    if (!steps) a.steps = count_steps(m, x, n, (int32_t *)(void *)(a.beyond + m->scratch_bytes));
    return a;
}

/* What node i gives to the rows. */
static const void *answer_node(const smr_nn_machine *m, int64_t i, const struct asked *a)
{
    const smr_nn_node *node = &m->graph->node[i];
    const void *from[MOST_FROM];
    smr_nn_pass pass = pass_of(m, i, 0, a->n);
    for (int64_t k = 0; k < node->n_from; k++)
        from[k] = node->from[k] == SMR_NET_INPUT ? a->x
                                                 : a->memory + m->place[node->from[k]].y * m->chunk;
    pass.x = from;
    pass.y = a->memory + m->place[i].y * m->chunk;
    pass.scratch = a->beyond;
    pass.steps = steps_of(m, i, a->steps);
    pass.state = a->state ? a->state + m->place[i].state : NULL;
    pass.state_row = m->state_bytes;
    code_of(m, i)->forward(&pass);
    return pass.y;
}

const void *smr_nn_answer(const smr_nn_machine *m, const void *x, int64_t n, void *scratch)
{
    return smr_nn_answer_on(m, x, n, NULL, NULL, scratch);
}

const void *smr_nn_answer_on(const smr_nn_machine *m, const void *x, int64_t n,
                             const int32_t *steps, void *state, void *scratch)
{
    struct asked a = ask(m, x, n, steps, state, scratch);
    const void *y = x;
    for (int64_t i = 0; i < m->graph->n; i++) y = answer_node(m, i, &a);
    return y;
}

smr_status smr_nn_answer_seen(smr_ctx *ctx, const smr_nn_machine *m, const void *x, int64_t n,
                              void *scratch, smr_nn_see see, void *arg)
{
    struct asked a = ask(m, x, n, NULL, NULL, scratch);
    smr_status st = SMR_OK;
    for (int64_t i = 0; i < m->graph->n; i++) TRY(see(ctx, arg, i, answer_node(m, i, &a)));
out:
    return st;
}
