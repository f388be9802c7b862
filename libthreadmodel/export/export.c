/* SPDX-License-Identifier: Apache-2.0 */
/* One export: what was asked for is checked, the file opened, the exporter called. */
#include "export/chrome.h"
#include "export/collapsed.h"
#include "export/dot.h"
#include "export/export_state.h"
#include "export/hprof_text.h"
#include "export/otlp.h"
#include "export/perfetto.h"
#include "export/pprof.h"

#include "base/error.h"
#include "base/sized.h"

static int (*const exporters[])(const tm__export *) = {
    [TM_EXPORT_PERFETTO] = tm__export_perfetto,
    [TM_EXPORT_CHROME] = tm__export_chrome,
    [TM_EXPORT_COLLAPSED] = tm__export_collapsed,
    [TM_EXPORT_DOT] = tm__export_dot,
    [TM_EXPORT_HPROF] = tm__export_hprof,
    [TM_EXPORT_PPROF] = tm__export_pprof,
    [TM_EXPORT_OTLP] = tm__export_otlp,
};

enum { FORMATS = sizeof(exporters) / sizeof(*exporters) };

static int check(const char *path, const tm_export_options *options)
{
    int state = options->state;

    if (!path == !options->write)
        return tm__fail(TM_EINVAL, "an export needs either a path or a write function");
    if (options->format <= 0 || options->format >= FORMATS)
        return tm__fail(TM_EINVAL, "unknown export format %d", options->format);
    if (state && state != TM_STATE_BLOCKED && state != TM_STATE_WAITING &&
        state != TM_STATE_REENTERING && state != TM_STATE_JOINING &&
        state != TM_STATE_PARKED && state != TM_STATE_IO)
        return tm__fail(TM_EINVAL, "state %d has no stacks to export", state);
    if (options->side != TM_EXPORT_WAITERS &&
        (options->side != TM_EXPORT_OWNERS || (options->format != TM_EXPORT_COLLAPSED &&
                                               options->format != TM_EXPORT_PPROF)))
        return tm__fail(TM_EINVAL, "format %d has no side %d", options->format,
                        options->side);
    if (options->from_ns < 0 || options->to_ns < 0 ||
        (options->to_ns && options->to_ns <= options->from_ns))
        return tm__fail(TM_EINVAL, "an export from %lld to %lld ns has no length",
                        (long long)options->from_ns, (long long)options->to_ns);
    if ((options->from_ns || options->to_ns) &&
        (options->format == TM_EXPORT_DOT || options->format == TM_EXPORT_HPROF))
        return tm__fail(TM_EINVAL, "format %d is of the whole run", options->format);
    return TM_OK;
}

/* Write the chosen format. The output is open already; this function closes it. */
static int export_to(tm__output *output, tm__memory *memory, const tm_model *model,
                     const tm_export_options *chosen)
{
    int rc = exporters[chosen->format](&(tm__export){
        .model = model, .memory = memory, .output = output, .options = chosen});
    int closed = tm__output_close(output);

    return rc < 0 ? rc : closed;
}

int tm_export_write(const tm_model *model, const char *path,
                    const tm_export_options *options)
{
    tm_export_options chosen;
    tm__memory memory;
    tm__output output;
    int rc;

    TM__CHECK(model);
    TM__CHECK(options);
    rc = TM__READ(&chosen, options, tm_export_options, allocator);
    if (rc == TM_OK)
        rc = check(path, &chosen);
    if (rc < 0)
        return rc;
    tm__memory_init(&memory, chosen.allocator);
    rc = path ? tm__output_open(&output, &memory, path)
              : tm__output_begin(&output, &memory, chosen.write, chosen.payload);
    return rc < 0 ? rc : export_to(&output, &memory, model, &chosen);
}
