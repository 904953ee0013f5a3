/* knn_outliers.c -- how unlike its neighbours a row is: (3) of knn.c, (1) and (2) of lof.c. */
#include "learn/neighbors/knn.h"

#include <math.h>

static const double LEAST = 1e-10;

/* Sums over the places that the neighbours fill. */
struct around {
    double far;     /* distance of the last                                      */
    double places;  /* filled                                                    */
    double reach;   /* sum of distances, none below the neighbour's own `far`    */
    double inverse; /* sum of 1 / reach of the neighbours                        */
};

/* Of the rows at distance 0 the weight 1 is the row itself. */
static struct around look_around(const struct smr_knn_params *p, const struct smr_knn_state *s,
                                 const smr_near_set *nearest)
{
    struct around a = {0};
    double left = (double)p->k, itself = 1;
    for (int64_t i = 0; i < nearest->n && left > 0; i++) {
        int64_t row = nearest->kept[i].row;
        double weight = s->weight ? s->weight[row] : 1;
        a.far = smr_query_meant(&nearest->query, nearest->kept[i].place);
        if (a.far == 0) {
            double own = smr_fmin(weight, itself);
            itself -= own;
            weight -= own;
        }
        double take = smr_fmin(weight, left);
        left -= weight;
        a.places += take;
        if (s->far) a.reach += take * smr_fmax(a.far, s->far[row]);
        if (s->reach && take > 0) a.inverse += take / s->reach[row];
    }
    return a;
}

double smr_knn_outlying(const struct smr_knn_params *p, const struct smr_knn_state *s,
                        smr_near_set *nearest)
{
    double least = s->search->least;
    smr_near_finish(nearest, true);
    struct around a = look_around(p, s, nearest);
    if (!s->far) return -a.far;
    double reach = a.places > 0 ? smr_fmax(a.reach / a.places, least) : least;
    if (!s->reach) return -reach;
    return a.places > 0 ? -reach * (a.inverse / a.places) : -1; /* alone: like all others */
}

/* Copies of a row have no distance: none is below LEAST of the mean, so that factors are finite,
 * whatever the unit. */
double smr_knn_least_reach(const struct smr_knn_state *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += s->far[i] / (double)s->n;
    return sum > 0 ? smr_fmax(LEAST * sum, 0x1p-1000) : 1;
}
