#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# Each target of tests/fuzz, with its stored inputs beside it. What it links is inside:
# it runs where none of the libraries is installed.
build=${WORK:-/tmp}/threadmodel-fuzz
meson setup "$build" "$SRC/threadmodel" --prefer-static -Ddefault_library=static \
    -Dfuzzing=true "-Dfuzzing_engine=$LIB_FUZZING_ENGINE" -Db_lundef=false \
    -Dagent=disabled -Dpython=disabled
targets=()
for source in "$SRC"/threadmodel/tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    targets+=("tests/fuzz/$name")
done
ninja -C "$build" "${targets[@]}"
for target in "${targets[@]}"; do
    name=$(basename "$target")
    cp "$build/$target" "$OUT/"
    (cd "$SRC/threadmodel/tests/fuzz/corpus/${name#fuzz_}" &&
        zip -q "$OUT/${name}_seed_corpus.zip" ./*)
done
