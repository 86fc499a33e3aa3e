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

/* --step: "05,cuBLAS", numbers or whole names; NULL: all, cuBLAS first. */
extern const char *paths_list;
bool paths_set_list(struct options *opt, const char *value);

/* Chooses what the list says; returns how many; ends the program where a name is unknown. */
int paths_choose(const struct path *chosen[MAX_PATHS]);

/* Ends the program where the options ask for more than the comparison on the card knows. */
void paths_require_plain(const struct options *opt);

/* Milliseconds of so many launches. */
double paths_time(const struct problem *p, const struct path *path, int launches);

/* Seconds of a clock that only goes forward. */
double paths_now(void);

#endif
