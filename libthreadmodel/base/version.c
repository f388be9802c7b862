/* SPDX-License-Identifier: Apache-2.0 */
#include <threadmodel/version.h>

int tm_version(void)
{
    return TM_VERSION_MAJOR * 10000 + TM_VERSION_MINOR * 100 + TM_VERSION_PATCH;
}
