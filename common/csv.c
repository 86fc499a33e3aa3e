/* --csv: one row a problem, appended. */
#include "backend.h"
#include <string.h>
#include <time.h>

static const char header[] = "date,device,driver,cuda,cublas,mhz,watts,throttled,step,kernel,M,N,K,"
                             "data,ms,spread,gflops,ratio,graph_ms,graph_ratio,result\n";

void csv_open(const struct options *opt)
{
    if (!opt->csv)
        return;
    FILE *file = file_open("--csv", opt->csv, "a");
    /* "a" starts at the end only with the first write */
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0)
        fputs(header, file);
    file_close("--csv", opt->csv, file);
}

/* Quoted where a comma, a quote or a line break asks for it (RFC 4180). */
static void put_text(FILE *file, const char *text)
{
    if (text && strpbrk(text, ",\"\r\n")) {
        fputc('"', file);
        for (; *text; text++)
            fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
        fputc('"', file);
    } else if (text) {
        fputs(text, file);
    }
    fputc(',', file);
}

static void put_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, "%.6g", value);
    fputc(',', file);
}

void csv_append(const struct options *opt, const struct csv_row *row)
{
    if (!opt->csv)
        return;
    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));

    FILE *file = file_open("--csv", opt->csv, "a");
    put_text(file, date);
    put_text(file, row->device);
    put_text(file, row->driver);
    put_text(file, row->cuda);
    put_text(file, row->cublas);
    put_number(file, row->mhz > 0 ? row->mhz : NAN);
    put_number(file, row->watts > 0 ? row->watts : NAN);
    put_text(file, row->throttled);
    put_text(file, opt->step);
    put_text(file, row->kernel);
    fprintf(file, "%d,%d,%d,", row->shape.M, row->shape.N, row->shape.K);
    put_text(file, data_name(opt->data));
    put_number(file, row->ms);
    put_number(file, row->spread);
    put_number(file, row->gflops);
    put_number(file, row->ratio);
    put_number(file, row->graph_ms);
    put_number(file, row->graph_ratio);
    fprintf(file, "%s\n", row->result);
    file_close("--csv", opt->csv, file);
}
