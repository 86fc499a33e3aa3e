/* A check on the card, for programs that run many paths on one problem: one reference serves all.
 */
#ifndef ON_CARD_H
#define ON_CARD_H

#include "../backend.h"

/* The reference of a problem on the card, itself compared with the CPU on a sample. */
void on_card_reference(struct problem *p);

/* Runs the path once on a poisoned C and compares every element with the reference on the card;
 * says what is wrong, and raises the exit code.  mark: for a profiler, unless 0: the number of an
 * empty kernel before the launch.  *ms: what the launch took. */
bool on_card_check(struct problem *p, const char *name, path_fn *run, int mark, double *ms);

#endif
