/* SPDX-License-Identifier: Apache-2.0 */
/* Lambdas by the method that they are made of. Knows nothing of a VM. */
#ifndef TM_AGENT_IDENT_LAMBDA_NAME_H
#define TM_AGENT_IDENT_LAMBDA_NAME_H

#include <stddef.h>
#include <stdint.h>

/** Whether this is the class of a lambda, by its signature. */
int tm__lambda_is(const char *signature);

/**
 * The signature with the method between the name and the address:
 * "La/B$$Lambda(lambda$run$0).0x00007f3a5c000c28;", of a method of another class
 * "La/B$$Lambda(C::run).0x00007f3a5c000c28;". A serial number goes.
 *
 * @param constants  of the class, as JVM TI gives them
 * @param count      as it gives it, one more than there are
 * @return 0; -1: it is not clear which method that is, or the name finds no room
 */
int tm__lambda_signature(char *out, size_t out_bytes, const char *signature,
                         const unsigned char *constants, size_t bytes, uint32_t count);

#endif
