/* SPDX-License-Identifier: Apache-2.0 */
/* A function that takes what printf takes: the compiler looks at its arguments. */
#ifndef TM_BASE_PRINTF_H
#define TM_BASE_PRINTF_H

#ifdef _WIN32
#define TM__PRINTF(format_at, from) __attribute__((format(gnu_printf, format_at, from)))
#else
#define TM__PRINTF(format_at, from) __attribute__((format(printf, format_at, from)))
#endif

#endif
