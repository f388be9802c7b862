/* SPDX-License-Identifier: Apache-2.0 */
/* All of <stddef.h> that a public header may use. */
typedef unsigned long size_t;
