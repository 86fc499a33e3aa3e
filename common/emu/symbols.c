/* Names: of shared arrays and kernels, from the program's own symbol table; of source lines, from
 * its debug information by way of addr2line. */
#include "emu.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t shared_low = SIZE_MAX, shared_high, dynamic_offset;

struct symbol {
    const char *name;
    uintptr_t value;
    size_t size;
    int type;
};
static struct symbol *symbols;
static size_t num_symbols;

extern _Thread_local char emu_dynamic_shared[];
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

uintptr_t shared_base(void)
{
    return (uintptr_t)emu_dynamic_shared - dynamic_offset;
}

static void *read_at(FILE *file, size_t offset, size_t size)
{
    void *p = host_alloc(size, 1, "the symbol table");
    if (fseek(file, (long)offset, SEEK_SET) || fread(p, 1, size, file) != size)
        die(EXIT_DEVICE, "/proc/self/exe cannot be read: %s; is /proc mounted?", strerror(errno));
    return p;
}

void symbols_open(void)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    if (!file)
        die(EXIT_DEVICE, "/proc/self/exe cannot be opened: %s; is /proc mounted?", strerror(errno));
    const Elf64_Ehdr *head = read_at(file, 0, sizeof *head);
    const Elf64_Shdr *sections = read_at(file, head->e_shoff, head->e_shnum * sizeof *sections);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Shdr *strings = &sections[sections[i].sh_link];
        const Elf64_Sym *table = read_at(file, sections[i].sh_offset, sections[i].sh_size);
        const char *text = read_at(file, strings->sh_offset, strings->sh_size);
        num_symbols = sections[i].sh_size / sizeof *table;
        symbols = host_alloc(num_symbols, sizeof *symbols, "the symbol table");
        for (size_t k = 0; k < num_symbols; k++)
            symbols[k] = (struct symbol){text + table[k].st_name, table[k].st_value,
                                         table[k].st_size, ELF64_ST_TYPE(table[k].st_info)};
    }
    fclose(file);

    /* Shared memory is what is thread-local and starts as zeros (.tbss). */
    size_t tdata = 0;
    for (int i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_flags & SHF_TLS && sections[i].sh_type != SHT_NOBITS)
            tdata = sections[i].sh_size;
    for (size_t i = 0; i < num_symbols; i++) {
        const struct symbol *s = &symbols[i];
        if (s->type != STT_TLS || s->value < tdata)
            continue;
        if (strcmp(s->name, "emu_dynamic_shared") == 0)
            dynamic_offset = s->value;
        shared_low = s->value < shared_low ? s->value : shared_low;
        shared_high = s->value + s->size > shared_high ? s->value + s->size : shared_high;
    }
    if (shared_high != dynamic_offset + MAX_DYNAMIC)
        die(EXIT_DEVICE, "the dynamic shared memory does not lie last among the thread-local data, "
                         "or the program was stripped; build it with common/emu/emu.mk");
}

static const struct symbol *symbol_at(uintptr_t value, int type)
{
    for (size_t i = 0; i < num_symbols; i++)
        if (symbols[i].type == type && value - symbols[i].value < symbols[i].size)
            return &symbols[i];
    return NULL;
}

/* "sgemm_kernel<true>" of "void sgemm_kernel<true>(int, int)"; "As" of "f(int)::As". */
static void short_name(const char *mangled, char *out, size_t size)
{
    int status;
    char *text = __cxa_demangle(mangled, NULL, NULL, &status);
    const char *name = text ? text : mangled;
    const char *last = strrchr(name, ')');
    int length = (int)strlen(name);
    if (last && strncmp(last, ")::", 3) == 0) {
        name = last + 3;
        length = (int)strlen(name);
    } else if (strchr(name, '(')) {
        int depth = 0, i = 0;
        for (; name[i] && (name[i] != '(' || depth); i++) {
            depth += (name[i] == '<') - (name[i] == '>');
            if (name[i] == ' ' && depth == 0) {
                name += i + 1;
                i = -1;
            }
        }
        length = i;
    }
    snprintf(out, size, "%.*s", length, name);
    free(text);
}

void function_name(const void *func, char *out, size_t size)
{
    const struct symbol *s = symbol_at((uintptr_t)func, STT_FUNC);
    if (s)
        short_name(s->name, out, size);
    else
        snprintf(out, size, "%p", func);
}

/* A function's static variable is called _ZZ <function> E <variable>. */
size_t shared_static_size(const void *func)
{
    const struct symbol *f = symbol_at((uintptr_t)func, STT_FUNC);
    size_t end = 0, low = SIZE_MAX;
    for (size_t i = 0; f && i < num_symbols; i++) {
        const struct symbol *s = &symbols[i];
        if (s->type != STT_TLS || s->value < shared_low || strncmp(s->name, "_ZZ", 3) != 0)
            continue;
        const size_t length = strlen(f->name + 2);
        if (strncmp(s->name + 3, f->name + 2, length) != 0 || s->name[3 + length] != 'E')
            continue;
        low = s->value < low ? s->value : low;
        end = s->value + s->size > end ? s->value + s->size : end;
    }
    return end > low ? end - low : 0;
}

size_t place_name(uintptr_t address, enum space space, char *out, size_t size, size_t *extent)
{
    const struct symbol *s = NULL;
    const struct allocation *m = space == SPACE_GLOBAL ? allocation_near(address) : NULL;
    *extent = 0;
    if (space == SPACE_SHARED) {
        s = symbol_at(address, STT_TLS); /* an offset */
        if (s && s->value == dynamic_offset) {
            snprintf(out, size, "dynamic shared memory");
            *extent = launch.smem;
            return address - s->value;
        }
    } else if (m && m->map) {
        uintptr_t start = m->base;
        const char *name = argument_name(m, address, &start);
        snprintf(out, size, "%s", name ? name : "an allocation");
        *extent = m->base + m->size - start;
        return address - start;
    } else {
        s = symbol_at(address, STT_OBJECT);
    }
    if (!s) {
        snprintf(out, size, "none");
        return address;
    }
    short_name(s->name, out, size);
    *extent = s->size;
    return address - s->value;
}

/* ---- Source lines ---- */

static int compare_pcs(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* "FILE:LINE" or "FILE:LINE (discriminator 3)" */
static struct source parse_line(char *text)
{
    char *colon = strrchr(text, ':');
    if (!colon || text[0] == '?' || atoi(colon + 1) == 0)
        return (struct source){NULL, 0};
    *colon = '\0';
    if (strncmp(text, "./", 2) == 0)
        text += 2;
    return (struct source){strdup(text), atoi(colon + 1)};
}

/* Asks addr2line for some sorted, distinct program counters. */
static void ask(const uint32_t *pcs, size_t count, struct source *out)
{
    char command[8192], line[4096];
    size_t at =
        (size_t)snprintf(command, sizeof command, "addr2line -a -i -e /proc/%d/exe", (int)getpid());
    for (size_t i = 0; i < count; i++) /* a return address: the call lies before it */
        at += (size_t)snprintf(command + at, sizeof command - at, " 0x%x", pcs[i] - 1);
    snprintf(command + at, sizeof command - at, " 2>/dev/null");
    FILE *pipe = popen(command, "r");
    size_t i = SIZE_MAX;
    while (pipe && fgets(line, sizeof line, pipe)) {
        if (strncmp(line, "0x", 2) == 0)
            i++;
        else if (i < count && !out[i].file && !strstr(line, "common/emu/cuda_"))
            out[i] = parse_line(line); /* the innermost line that is not the emulator's header */
    }
    if (pipe)
        pclose(pipe);
}

void source_lines(const uint32_t *pcs, size_t count, struct source *out)
{
    enum { BATCH = 500 };
    uint32_t *sorted = host_alloc(count, sizeof *sorted, "source lines");
    struct source *found = host_alloc(count, sizeof *found, "source lines");
    size_t n = 0;
    memcpy(sorted, pcs, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_pcs);
    for (size_t i = 0; i < count; i++)
        if (n == 0 || sorted[n - 1] != sorted[i])
            sorted[n++] = sorted[i];
    for (size_t i = 0; i < n; i += BATCH)
        ask(sorted + i, n - i < BATCH ? n - i : BATCH, found + i);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *p = bsearch(&pcs[i], sorted, n, sizeof *sorted, compare_pcs);
        out[i] = found[p - sorted];
    }
    free(sorted);
    free(found); /* the file names stay */
}

/* The file as it was named to the compiler: from here, or from the folder in which make ran, three
 * above the program's own (build/emu/NAME). */
static FILE *open_source(const char *name)
{
    FILE *file = fopen(name, "r");
    char path[4096];
    const ssize_t length = file ? -1 : readlink("/proc/self/exe", path, sizeof path);
    size_t end = length < 0 ? 0 : (size_t)length;
    for (int up = 0; end && up < 4; up++) /* the program's name is the first to go */
        while (end && path[--end] != '/')
            ;
    if (end && end + strlen(name) + 2 < sizeof path) {
        strcpy(path + end + 1, name);
        file = fopen(path, "r");
    }
    return file;
}

void source_text(const struct source *s, char *out, size_t size)
{
    FILE *file = s->file ? open_source(s->file) : NULL;
    char text[512] = "";
    for (int i = 0; file && i < s->line; i++)
        if (!fgets(text, sizeof text, file))
            text[0] = '\0';
    if (file)
        fclose(file);
    const char *start = text + strspn(text, " \t");
    snprintf(out, size, "%.*s", (int)strcspn(start, "\r\n"), start);
}
