/* SPDX-License-Identifier: Apache-2.0 */
#include "live/live_verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>
#include <threadmodel/verdict.h>

#include "live/put_printable.h"

enum { SHOWN = 12 };

static int is_of(const tm__live_verdict *it, const char *kind)
{
    const char *given = tm_table_string(it->verdict, "kind", 0);

    return given && strcmp(given, kind) == 0;
}

size_t tm__live_verdict_open(tm__live_verdict *it, tm_model *model, int64_t now_ns)
{
    const tm_sink *sink = tm_model_sink(model);
    tm_run run = TM_RUN_INIT;

    *it = (tm__live_verdict){.count = 0};
    run.end_ns = now_ns;
    run.ending = TM_ENDING_WENT_ON;
    sink->run(sink->payload, &run);
    if (tm_verdict_list(&it->verdict, model) != TM_OK)
        return 0;
    it->is_whole = is_of(it, "stuck");
    it->is_deadlock = is_of(it, "deadlocked");
    if ((!it->is_whole && !it->is_deadlock && !is_of(it, "partly_stuck") &&
         !is_of(it, "starved")) ||
        tm_verdict_member_list(&it->members, model) != TM_OK)
        return 0;
    it->threads = tm_table_uint64(it->members, "thread_id");
    it->count = tm_table_row_count(it->members);
    return it->count;
}

void tm__live_verdict_close(tm__live_verdict *it)
{
    tm_table_free(it->members);
    tm_table_free(it->verdict);
}

static void put_line(FILE *out, const char *text)
{
    fputs("  ", out);
    tm__put_printable(out, text);
    fputs("\n", out);
}

static void put_head(FILE *out, const tm__live_verdict *it, int64_t for_ns,
                     uint32_t pid)
{
    fprintf(out, "threadmodel: %s for at least %lld s",
            it->is_whole ? "stuck" : "partly stuck", (long long)(for_ns / 1000000000));
    if (pid)
        fprintf(out, " in process %u", pid);
    if (it->is_whole)
        fprintf(out, ": no thread of the program can go on; %zu thread%s\n", it->count,
                it->count == 1 ? " waits" : "s wait");
    else
        fprintf(out, ", as far as was recorded: %zu thread%s cannot go on\n", it->count,
                it->count == 1 ? "" : "s");
}

char *tm__live_verdict_text(const tm__live_verdict *it, int64_t for_ns, uint32_t pid)
{
    const char *advice = tm_table_string(it->verdict, "advice", 0);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    put_head(out, it, for_ns, pid);
    for (size_t i = 0; i < it->count && i < SHOWN; i++) {
        const char *why = tm_table_string(it->members, "why", i);

        put_line(out, why ? why : "?");
    }
    if (it->count > SHOWN)
        fprintf(out, "  and %zu more\n", it->count - SHOWN);
    if (advice)
        put_line(out, advice);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
