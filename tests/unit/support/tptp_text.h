/* SPDX-License-Identifier: Apache-2.0 */
/* A trace of TPTP as text. */
#ifndef TEST_TPTP_TEXT_H
#define TEST_TPTP_TEXT_H

#include "support/paper.h"

#include <threadmodel/source.h>

#include "formats/source.h"
#include "support/recorded.h"
#include "support/scarce.h"

static inline int emit_with(recorder *to, const char *text,
                            const tm_source_options *options)
{
    return emit_memory(to, "trace", text, strlen(text), options);
}

#define HEAD "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n"

#endif
