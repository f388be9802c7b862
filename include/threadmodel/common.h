/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/common.h: what every public header needs. */
#ifndef THREADMODEL_COMMON_H
#define THREADMODEL_COMMON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TM_BEGIN_DECLS extern "C" {
#define TM_END_DECLS }
#else
#define TM_BEGIN_DECLS
#define TM_END_DECLS
#endif

#if defined(__GNUC__)
#define TM_API __attribute__((visibility("default")))
#else
#define TM_API
#endif

#endif
