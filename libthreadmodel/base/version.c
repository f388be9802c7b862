/* SPDX-License-Identifier: Apache-2.0 */
#include <threadmodel/version.h>

int tm_version(void)
{
    return TM_VERSION_MAJOR * 10000 + TM_VERSION_MINOR * 100 + TM_VERSION_PATCH;
}

const char *tm_build_lacks(void)
{
    /* A blank before each name; the first blank is passed over. */
    static const char names[] = ""
#ifdef TM_WITHOUT_ZSTD
                                " zstd"
#endif
#ifdef TM_WITHOUT_EXPAT
                                " expat"
#endif
#ifdef TM_WITHOUT_YAJL
                                " yajl"
#endif
        ;

    return names + (names[0] == ' ');
}
