/* SPDX-License-Identifier: Apache-2.0 */
/* Names of Rust's first mangling, which are those of C++ with a hash behind them. */
#ifndef TM_NATIVE_NAMES_RUST_OLD_NAME_H
#define TM_NATIVE_NAMES_RUST_OLD_NAME_H

/**
 * Write a demangled name as its source has it, in place: "rust::main::{{closure}}" of
 * "rust::main::_$u7b$$u7b$closure$u7d$$u7d$::h07ef6c8a1b2d3e4f".
 * @return 0: it is no such name, and stays as it is
 */
int tm__rust_old_name(char *name);

#endif
