/* Figure: what each SM does in step 09's grid and in step 10's plan, for one size.
 * usage: schedule SIZE BM BN BK [grid]    (the constants of step 09; grid: without step 10)
 * One column an SM; downwards the work of its blocks, in FMAs, which is time if all go alike. */
#include "../../10_stream_k/plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMS = 132, LEFT = 84, COLUMN = 5, HEIGHT = 150, GAP = 56 };

/* An H200: shared memory that a block and an SM can have. */
static const struct card card = {SMS, 227 * 1024, 228 * 1024};
static double most;      /* work of the busiest SM in any panel */
static double busy[SMS]; /* work dealt to each SM so far */

static void text(const char *class, double x, double y, int size, const char *format, double a,
                 double b, double c)
{
    printf("<text class=\"%s\" x=\"%g\" y=\"%g\" font-size=\"%d\">", class, x, y, size);
    printf(format, a, b, c);
    printf("</text>\n");
}

static void rect(const char *class, double x, double y, double w, double h)
{
    printf("<rect class=\"%s\" x=\"%g\" y=\"%.2f\" width=\"%g\" height=\"%.2f\"/>\n", class, x, y,
           w, h);
}

static int blocks(const struct schedule *s)
{
    return s->whole + (s->tail_tiles > 0 ? s->tail_tiles * schedule_pieces(s) : 0);
}

/* Deals the pieces of a schedule to the SMs, block after block; draws them where top > 0. */
static void deal(const struct schedule *s, double fma_a_slice, double top)
{
    for (int i = 0; i < SMS; i++)
        busy[i] = 0;
    for (int block = 0; block < blocks(s); block++) {
        int sm = block % SMS; /* whole tiles in turn; a piece goes to the SM that is free first */
        for (int i = 0; block >= s->whole && i < SMS; i++)
            sm = busy[i] < busy[sm] ? i : sm;
        const struct piece p = schedule_piece(s, block);
        const double work = (p.last - p.first) * fma_a_slice;
        if (top > 0)
            rect(block < s->whole      ? (block / SMS % 2 ? "a" : "as")
                 : p.last == s->slices ? "c"
                                       : "bs",
                 LEFT + sm * COLUMN, top + HEIGHT * busy[sm] / most, COLUMN - 1,
                 HEIGHT * work / most - 0.8);
        busy[sm] += work;
    }
    for (int i = 0; i < SMS; i++)
        most = fmax(most, busy[i]);
}

static void panel(const struct schedule *s, double fma_a_slice, double top, const char *name,
                  int bm, int bn)
{
    rect("cell", LEFT, top, SMS * COLUMN, HEIGHT);
    deal(s, fma_a_slice, top);
    double sum = 0, longest = 0;
    for (int i = 0; i < SMS; i++) {
        sum += busy[i];
        longest = fmax(longest, busy[i]);
    }
    printf("<text class=\"ink\" x=\"24\" y=\"%g\">%s: %d tiles of %d x %d", top - 28, name,
           s->whole + s->tail_tiles, bm, bn);
    if (s->tail_tiles > 0)
        printf(", %d of them cut into %d pieces each", s->tail_tiles, schedule_pieces(s));
    printf("</text>\n");
    text("dim", 24, top - 11, 12, "SMs busy %.0f %% of the time until the last one ends",
         100 * sum / SMS / longest, 0, 0);
    text("dim", 24, top + 12, 12, "start", 0, 0, 0);
    text("dim", 24, top + HEIGHT, 12, "time", 0, 0, 0);
}

static double key(const char *class, double x, double y, const char *what, int length)
{
    rect(class, x, y - 11, 12, 12);
    text("ink", x + 18, y, 13, what, 0, 0, 0);
    return x + 18 + 7.0 * length + 18;
}

int main(int argc, char **argv)
{
    const bool with_plan = argc == 5;
    if (argc < 5 || argc > 6 || atoi(argv[1]) <= 0 || atoi(argv[2]) <= 0 || atoi(argv[3]) <= 0 ||
        atoi(argv[4]) <= 0) {
        fprintf(stderr, "usage: schedule SIZE BM BN BK [grid]\n");
        return 2;
    }
    const int n = atoi(argv[1]), bm = atoi(argv[2]), bn = atoi(argv[3]), bk = atoi(argv[4]);
    const int tiles_n = (n + bn - 1) / bn, tiles = (n + bm - 1) / bm * tiles_n;
    const struct schedule grid = {tiles_n, (n + bk - 1) / bk, tiles, 0, 1};
    const struct plan plan = plan_make(n, n, n, n % 4 == 0, n % 4 == 0, &card);
    const struct variant *v = &plan_variants[plan.variant];
    const double grid_fma = (double)bm * bn * bk, plan_fma = (double)v->bm * v->bn * v->bk;
    deal(&grid, grid_fma, 0);
    if (with_plan)
        deal(&plan.schedule, plan_fma, 0);

    const double height = (with_plan ? 2 : 1) * (HEIGHT + GAP) + 30;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 %g\" width=\"760\" "
           "height=\"%g\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n"
           "<title>What each SM does at N = %d</title>\n",
           height, height, n);
    printf("<!-- style -->\n"); /* the caller puts the colours of svg.awk in */
    rect("bg", 0, 0, 760, height);
    char name[64];
    snprintf(name, sizeof name, "09 at N = %d", n);
    panel(&grid, grid_fma, 46, name, bm, bn);
    snprintf(name, sizeof name, "10 at N = %d", n);
    if (with_plan)
        panel(&plan.schedule, plan_fma, 46 + HEIGHT + GAP, name, v->bm, v->bn);
    double x = key("as", 24, height - 12, "whole tile", 10);
    x = key("a", x, height - 12, "of a later wave", 15);
    if (with_plan && plan.schedule.tail_tiles > 0) {
        x = key("bs", x, height - 12, "piece of a cut tile", 19);
        x = key("c", x, height - 12, "its last piece", 14);
    }
    key("cell", x, height - 12, "idle", 4);
    printf("</svg>\n");
    return 0;
}
