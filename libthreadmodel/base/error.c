/* SPDX-License-Identifier: Apache-2.0 */
/* The code and text of the last failure, a fixed buffer a thread: no allocation, no
 * lock. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/system.h"

/* Long enough for a sentence and a path; a longer text is cut. */
static _Thread_local struct {
    int code;
    char text[512];
} last;

int tm__fail(int code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(last.text, sizeof(last.text), format, arguments);
    va_end(arguments);
    last.code = code;
    return code;
}

int tm__failure(void)
{
    return last.code < 0 ? last.code : TM_ENOMEM;
}

int tm__fail_system(const char *path, int number)
{
    char reason[128];

    if (tm__describe_error(number, reason, sizeof(reason)) != 0)
        snprintf(reason, sizeof(reason), "error %d", number);
    return tm__fail(number == ENOMEM ? TM_ENOMEM : TM_EIO, "%s: %s", path, reason);
}

const char *tm_error_text(void)
{
    return last.text;
}

const char *tm_error_name(int code)
{
    switch ((enum tm_error)code) {
    case TM_OK: return "TM_OK";
    case TM_MORE: return "TM_MORE";
    case TM_ENOMEM: return "TM_ENOMEM";
    case TM_EINVAL: return "TM_EINVAL";
    case TM_EIO: return "TM_EIO";
    case TM_EFORMAT: return "TM_EFORMAT";
    case TM_EDAMAGED: return "TM_EDAMAGED";
    case TM_EVERSION: return "TM_EVERSION";
    case TM_ENOTFOUND: return "TM_ENOTFOUND";
    case TM_ELIMIT: return "TM_ELIMIT";
    case TM_EUNSUPPORTED: return "TM_EUNSUPPORTED";
    case TM_ESTOPPED: return "TM_ESTOPPED";
    }
    return "unknown error";
}
