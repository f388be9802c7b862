/* SPDX-License-Identifier: Apache-2.0 */
#include "base/duration.h"

#include <inttypes.h>
#include <stdio.h>

tm__duration tm__duration_of(int64_t time_ns)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    tm__duration out;

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        /* 999.5 us would be written as 1000 us. */
        if ((double)time_ns >= units[i].ns * 0.9995) {
            double value = (double)time_ns / units[i].ns;
            int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

            snprintf(out.text, sizeof(out.text), "%.*f %s", digits, value,
                     units[i].unit);
            return out;
        }
    snprintf(out.text, sizeof(out.text), "%" PRId64 " ns", time_ns);
    return out;
}
