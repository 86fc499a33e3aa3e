/* Times several paths against each other. */
#ifndef TIMING_H
#define TIMING_H

#include "../backend.h"

struct timing {
    double ms;     /* one launch: median over the rounds */
    double spread; /* (90th - 10th percentile) / median; NaN with one round */
};

/* Launches the paths in turn, round by round, so that a drift of the clock meets all of them. */
void time_paths(const struct problem *p, path_fn *const paths[], int num_paths,
                struct timing out[]);

/* The same by replay of a graph of launches: without the host's share of each. */
void time_graphs(const struct problem *p, path_fn *const paths[], int num_paths,
                 struct timing out[]);

#endif
