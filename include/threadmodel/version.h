/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/version.h: which release a program was built against and runs with. */
#ifndef THREADMODEL_VERSION_H
#define THREADMODEL_VERSION_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

/* The release these headers belong to; meson.build reads it here. */
#define TM_VERSION_MAJOR 0
#define TM_VERSION_MINOR 1
#define TM_VERSION_PATCH 0

/**
 * The release of the loaded library.
 *
 * @return major * 10000 + minor * 100 + patch; never fails
 * @since 0.1
 */
TM_API int tm_version(void);

/**
 * The libraries without which the loaded library was built. Functions that need them
 * return TM_EUNSUPPORTED.
 *
 * @return names with blanks between them: "zstd" (traces), "expat" (reading TPTP XML),
 *         "yajl" (thread dumps as JSON); "": it can do everything. Never fails
 * @since 0.1
 */
TM_API const char *tm_build_lacks(void);

TM_END_DECLS

#endif
