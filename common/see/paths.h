/* Every step of the ladder in one program, and cuBLAS beside them. */
#ifndef PATHS_H
#define PATHS_H

#include "../backend.h"

struct path {
    const char *name; /* "05_regtile_2d" or "cuBLAS" */
    path_fn *run;
    predict_fn *predict;               /* NULL for cuBLAS */
    const struct kernel_info *kernels; /* NULL for cuBLAS */
};

enum { MAX_PATHS = 32 };

/* Chooses from a list as "05,cuBLAS": a step's number or whole name.  NULL: all, cuBLAS first.
 * Returns how many; ends the program where a name is unknown. */
int paths_choose(const char *list, const struct path *chosen[MAX_PATHS]);

/* Ends the program where the options ask for more than the comparison on the card knows. */
void paths_require_plain(const struct options *opt);

/* Runs the path once on a poisoned C and compares every element with the reference on the card;
 * says what is wrong, and raises the exit code.  mark: for a profiler, unless 0: the number of an
 * empty kernel before the launch.  *ms: what the launch took. */
bool paths_check(struct problem *p, const struct path *path, int mark, double *ms);

/* The reference of a problem on the card, itself compared with the CPU on a sample. */
void paths_reference(struct problem *p);

/* Milliseconds of so many launches. */
double paths_time(const struct problem *p, const struct path *path, int launches);

#endif
