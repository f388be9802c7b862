/* SPDX-License-Identifier: Apache-2.0 */
/* A contention log as text. */
#ifndef TEST_LOG_TEXT_H
#define TEST_LOG_TEXT_H

#define _POSIX_C_SOURCE 200809L
#include "support/paper.h"

#include <unistd.h>

#include <threadmodel/source.h>

#include "formats/contention/dialect.h"
#include "formats/decimal.h"
#include "support/recorded.h"
#include "support/scarce.h"

static inline int emit_text(recorder *to, const char *text, const char *dialect)
{
    tm_source_options options = {.size = sizeof(options), .dialect = dialect};

    return emit_memory(to, "log", text, strlen(text), &options);
}

#endif
