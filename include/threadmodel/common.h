/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/common.h: what every public header needs.
 *
 * A struct that the caller fills and that may grow begins with its size. In a release
 * that knows more fields, those that a shorter struct does not have are 0; a longer
 * one, of a program that was built against a newer release, is accepted if what this
 * release does not know is 0, and else refused with TM_EINVAL. Zero is the default of
 * each field. The same holds the other way round: a callback that is lent such a struct
 * reads no further than its size.
 */
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
