/* Times several paths against each other. */
#ifndef TIMING_H
#define TIMING_H

#include "../backend.h"

struct timing {
    double ms;     /* one launch: median over the rounds */
    double spread; /* (90th - 10th percentile) / median; NaN with one round */
};

/* What stands between two events: launches one by one, or one graph of them. */
struct batch {
    path_fn *run;
    int launches;
    cudaGraphExec_t graph; /* NULL: one by one */
};

/* A batch as a graph.  Before, the path must have run once: what a first call does cannot be
 * captured. */
struct batch batch_capture(const struct problem *p, path_fn *run, int launches);

/* Milliseconds of a batch.  A batch that does not end is ended: `what` and `option` as in
 * watch_problem(). */
double batch_time(const struct problem *p, const struct batch *b, const char *what,
                  const char *option);

/* The median of n numbers, which are sorted on the way. */
double median(double *numbers, int n);

/* Launches the paths in turn, round by round, so that a drift of the clock meets all of them. */
void time_paths(const struct problem *p, path_fn *const paths[], int num_paths,
                struct timing out[]);

/* The same by replay of a graph of launches: without the host's share of each. */
void time_graphs(const struct problem *p, path_fn *const paths[], int num_paths,
                 struct timing out[]);

#endif
