/* SPDX-License-Identifier: Apache-2.0 */
/* The name of an endpoint. */
#ifndef TM_ENDPOINT_ENDPOINT_NAME_H
#define TM_ENDPOINT_ENDPOINT_NAME_H

#include "endpoint/endpoint.h"

/**
 * Its name: "10.0.0.7:5432", "clients of :8080", "file 5b1c03aa".
 * @param text      of tm__endpoint_text(), or of a host its name
 * @param is_plain  paths appear as they are, and not as a hash
 */
void tm__endpoint_name(const tm__endpoint *it, const char *text, int is_plain, char *to,
                       size_t bytes);

#endif
