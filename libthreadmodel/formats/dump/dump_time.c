/* SPDX-License-Identifier: Apache-2.0 */
/* No zone: what a dump does not say cannot be known, and the C library's own functions
 * would ask the environment. */
#include "formats/dump/dump_time.h"

static int64_t days_to(int64_t year, int64_t month, int64_t day)
{
    /* Years from March on, so that a leap day is the last; of eras of 400 years. */
    int64_t from_merge = month > 2 ? month - 3 : month + 9;
    int64_t y = month > 2 ? year : year - 1;

    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * from_merge + 2) / 5 + day -
           719469;
}

/* The part of a second, behind its point. */
static int64_t fraction(tm__slice *text)
{
    int64_t ns = 0, unit = 100000000;

    if (text->length == 0 || text->bytes[0] != '.')
        return 0;
    *text = tm__slice_from(*text, 1);
    while (text->length > 0 && text->bytes[0] >= '0' && text->bytes[0] <= '9') {
        ns += (text->bytes[0] - '0') * unit;
        unit /= 10;
        *text = tm__slice_from(*text, 1);
    }
    return ns;
}

int tm__dump_time(tm__slice text, int64_t *time_ns)
{
    static const char between[] = {'-', '-', ' ', ':', ':'};
    static const uint64_t most[] = {2261, 12, 31, 23, 59, 60};
    uint64_t part[6];
    int64_t seconds, ns;

    for (unsigned i = 0; i < 6; i++) {
        if (i > 0) {
            if (text.length == 0 ||
                (text.bytes[0] != between[i - 1] && !(i == 3 && text.bytes[0] == 'T')))
                return 0;
            text = tm__slice_from(text, 1);
        }
        if (!tm__slice_number(&text, 10, &part[i]) || part[i] > most[i])
            return 0;
    }
    if (part[0] < 1970 || part[1] == 0 || part[2] == 0)
        return 0;
    seconds = days_to((int64_t)part[0], (int64_t)part[1], (int64_t)part[2]) * 86400 +
              (int64_t)(part[3] * 3600 + part[4] * 60 + part[5]);
    ns = fraction(&text);
    if (text.length > 0 && !tm__slice_is(text, "Z"))
        return 0;
    *time_ns = seconds * 1000000000 + ns;
    return 1;
}
