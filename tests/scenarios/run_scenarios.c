/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs scenario files against the library: run_scenarios FILE ...
 * Prints a line a file, and what differs.
 */
#include <stdio.h>

#include "scenario.h"

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        scenario *s = scenario_open(argv[i]);

        if (s->failures == 0)
            scenario_check(s);
        printf("%s %s\n", s->failures ? "FAIL" : "ok  ", argv[i]);
        failed += s->failures > 0;
        scenario_close(s);
    }
    printf("%d of %d scenarios failed\n", failed, argc - 1);
    return failed > 0 || argc < 2;
}
