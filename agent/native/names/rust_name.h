/* SPDX-License-Identifier: Apache-2.0 */
/* Names of Rust's second mangling, which begin with "_R". */
#ifndef TM_NATIVE_NAMES_RUST_NAME_H
#define TM_NATIVE_NAMES_RUST_NAME_H

#include <stddef.h>

/**
 * Write a name as its source has it, without crate hashes and generic arguments:
 * "std::thread::functions::sleep", "<server::Pool>::run::{closure#0}".
 * @return 0: the name is of another mangling, or damaged, and nothing is written
 */
int tm__rust_name(const char *mangled, char *name, size_t room);

#endif
