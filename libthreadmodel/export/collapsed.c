/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsed stacks, a line each, for flame graphs:
 *
 *     java.lang.Thread.run;demo.Main.work;demo.Account.transfer;blocked demo.Account
 * 4200
 *
 * The leaf is not a method but the state, and the class of what was waited for.
 */
#include <inttypes.h>

#include "base/error.h"
#include "export/collapsed.h"
#include "export/stack_samples.h"

/* A frame's name, with blanks for what separates frames and lines. */
static void put_name(tm__output *output, const char *name)
{
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;

        tm__output_put(output, byte < 0x20 || byte == 0x7f || byte == ';' ? " " : name,
                       1);
    }
}

static void put_sample(tm__output *output, const tm__stack_samples *profile,
                       const tm__sample *sample)
{
    const tm__frames *stack = &profile->stacks[sample->stack];

    for (uint32_t i = stack->first + stack->count; i > stack->first; i--) {
        const tm__location *place = &profile->locations[profile->places[i - 1]];

        put_name(output, tm__strings_get(&profile->strings,
                                         profile->functions[place->function].name));
        tm__output_put(output, ";", 1);
    }
    tm__output_text(output, tm_state_name(sample->state));
    if (sample->class_name) {
        tm__output_put(output, " ", 1);
        put_name(output, tm__strings_get(&profile->strings, sample->class_name));
    }
    tm__output_format(output, " %" PRId64 "\n", sample->total_ns);
}

int tm__export_collapsed(const tm__export *to)
{
    tm__stack_samples profile;
    int rc = tm__stack_samples_open(&profile, to->memory);

    if (rc == TM_OK)
        rc = tm__stack_samples_add(&profile, to, to->options->side);
    for (uint32_t i = 0; rc == TM_OK && i < profile.samples_count; i++)
        if (profile.samples[i].total_ns > 0)
            put_sample(to->output, &profile, &profile.samples[i]);
    tm__stack_samples_free(&profile);
    return rc;
}
