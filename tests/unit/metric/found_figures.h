/* found_figures.h -- written by found.py with scikit-learn 1.2.1; do not edit. */
static const double figures[] = {
    0.04589585172109444, /* adjusted_rand     */
    0.20053795429038984, /* nmi               */
    0.5217391304347826,  /* purity            */
    0.6752185453483124,  /* silhouette        */
    0.4711154768887509,  /* davies_bouldin    */
    144.40706614000376,  /* calinski_harabasz */
};
