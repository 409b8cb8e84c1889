#!/usr/bin/env bash
# Finds or builds the SPU compiler: spu-elf binutils 2.40, GCC 9.3 (C) and newlib 3.3, from Debian's source
# packages.
#
#   toolchain/spu-gcc.sh                 find or build it, check it, print its prefix
#   toolchain/spu-gcc.sh --prefix        find or build it, and print nothing but its prefix on standard output
#   toolchain/spu-gcc.sh --find          print the prefix of a compiler that is there; status 1 without one
#   toolchain/spu-gcc.sh --from-source   build it even if there is a compiler
#   toolchain/spu-gcc.sh --sources       only fetch, unpack and patch the sources
#   toolchain/spu-gcc.sh --testsuite     fetch GCC's test suite, print its directory
#   toolchain/spu-gcc.sh --verify        compile a program with it and run that on the simulator
#
# Order of preference:
#   1. the toolchain in the folder that SPU_PREFIX names
#   2. the toolchain in the archive that SPU_ARCHIVE names (unless told, shared/spu-toolchain.tar.xz in the
#      folder that holds the checkout)
#   3. a toolchain that was built earlier
#   4. a build from source, which takes 8 minutes on two idle cores and 3 GB of disk
#
# Everything lives in the cache directory SPU_CACHE (default .cache/spu in the repository). Each step leaves a
# stamp there, so that an interrupted run resumes with the step that was interrupted.
# A build needs a C++ compiler, make, flex, bison and libgmp-dev libmpfr-dev libmpc-dev; a ready toolchain
# needs libgmp10 libmpfr6 libmpc3. JOBS sets the number of compilations at a time (default: all processors).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${SPU_CACHE:-$root/.cache/spu}
archive=${SPU_ARCHIVE:-$root/../shared/spu-toolchain.tar.xz}
jobs=${JOBS:-$(nproc)}
sources=$cache/sources
built=$cache/prefix

program=spu-gcc
. "$root/toolchain/steps.sh"

usage() { sed -n '2,/^[^#]\|^$/s/^# \?//p' "$0"; }

# Fetches one source package of one Debian release, with a package configuration of its own: nothing else of
# that release can then get onto the machine.
fetch_package() {
    local release=$1 package=$2 private=$cache/apt/$1 uri
    uri=$(mirror)
    [ -n "$uri" ] || die "no Debian mirror among the package sources of this machine"
    mkdir -p "$private"/{lists/partial,archives/partial,downloads}
    : >"$private/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $release main" >"$private/sources.list"
    local options=(
        -o Dir::Etc::sourcelist="$private/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::State="$private" -o Dir::State::lists="$private/lists" -o Dir::State::status="$private/status"
        -o Dir::Cache="$private" -o Dir::Cache::archives="$private/archives" -o APT::Sandbox::User=root
    )
    apt-get "${options[@]}" update
    (cd "$private/downloads" && apt-get "${options[@]}" download "$package")
    dpkg-deb -x "$private/downloads/$package"_*.deb "$cache/packages"
}

unpack() { # unpack ARCHIVE DIRECTORY: replaces the directory by the archive's single top directory.
    rm -rf "$2" && mkdir -p "$2"
    tar -xf "$1" -C "$2" --strip-components=1
}

unpack_sources() {
    unpack "$cache"/packages/usr/src/binutils/binutils-*.tar.xz "$sources/binutils"
    unpack "$cache"/packages/usr/src/gcc-9/gcc-9.*.tar.xz "$sources/gcc"
    unpack "$cache"/packages/usr/src/newlib/newlib-*.tar.xz "$sources/newlib"
}

# The changes without which these versions do not build together.
patch_sources() {
    local gcc=$sources/gcc newlib=$sources/newlib/newlib file
    # GCC builds newlib and libgloss together with its own libraries.
    ln -sfn ../newlib/newlib "$gcc/newlib"
    ln -sfn ../newlib/libgloss "$gcc/libgloss"
    # To fill a pair, GCC 9 prints "nop 127". gas 2.40 takes it for its directive ".nop SIZE": 32 instructions
    # instead of one, and branch hints that no longer reach their branch. Both accept a register with a dollar
    # sign.
    sed -i 's/"nop\\t%0"/"nop\\t$%0"/' "$gcc/gcc/config/spu/spu.md"
    [ "$(grep -cF '"nop\t$%0"' "$gcc/gcc/config/spu/spu.md")" = 2 ]
    # The PPE serves time (), gettimeofday () and utime () with words, and newlib's own time_t has 64 bits.
    sed -i '/^#ifdef __SPU__$/a #define _USE_LONG_TIME_T' "$newlib/libc/include/sys/config.h"
    [ "$(grep -c '^#define _USE_LONG_TIME_T$' "$newlib/libc/include/sys/config.h")" = 2 ]
    # pthread types of newlib 3.3 want a sched_param, which the SPU's own header lacks.
    sed -i 's/^int sched_yield/struct sched_param { int sched_priority; };\n&/' "$newlib/libc/machine/spu/sys/sched.h"
    grep -q sched_priority "$newlib/libc/machine/spu/sys/sched.h"
    # The SPU defines these as macros; parentheses around the declared name keep the macro from expanding.
    sed -i -E 's/^(extern int )(finitef|isinff|isnanf|isinf|isnan)( \()/\1(\2)\3/' "$newlib/libc/include/math.h"
    [ "$(grep -cE '^extern int \((finitef|isinff|isnanf|isinf|isnan)\)' "$newlib/libc/include/math.h")" = 5 ]
    # The generic floating-point environment collides with the SPU's.
    for file in "$newlib"/libm/fenv/*.c; do : >"$file"; done
}

prepare_sources() {
    unpack_sources
    patch_sources
}

fetch_sources() {
    step fetch-gcc fetch_package bullseye gcc-9-source
    step fetch-binutils fetch_package bookworm binutils-source
    step fetch-newlib fetch_package bookworm newlib-source
    # One step, because patching what is already patched would go wrong.
    step prepare prepare_sources
}

# The SPU's start-up code runs the constructors of .ctors and knows nothing of .init_array, hence
# --disable-initfini-array for linker and compiler.
build_binutils() {
    mkdir -p "$cache/build/binutils" && cd "$cache/build/binutils"
    [ -e Makefile ] || "$sources/binutils/configure" --target=spu-elf --prefix="$built" --disable-gdb --disable-sim \
        --disable-gprofng --disable-nls --disable-werror --disable-initfini-array
    make -j"$jobs" MAKEINFO=true
    make MAKEINFO=true install
}

build_gcc() {
    mkdir -p "$cache/build/gcc" && cd "$cache/build/gcc"
    export PATH=$built/bin:$PATH
    [ -e Makefile ] || CFLAGS='-O1 -w' CXXFLAGS='-O1 -std=gnu++11 -w' "$sources/gcc/configure" --target=spu-elf \
        --prefix="$built" --enable-obsolete --enable-languages=c --with-newlib --disable-multilib --disable-libssp \
        --disable-shared --disable-threads --disable-libquadmath --disable-libgomp --disable-libcc1 --disable-lto \
        --disable-plugin --disable-nls --disable-initfini-array
    make -j"$jobs" MAKEINFO=true CFLAGS_FOR_TARGET=-O2
    # The package has no manuals, so installing them fails; what matters is checked below.
    make -k MAKEINFO=true install || true
    [ -x "$built/bin/spu-elf-gcc" ]
    [ -e "$built/spu-elf/lib/libc.a" ]
    [ -e "$("$built/bin/spu-elf-gcc" -print-libgcc-file-name)" ]
}

# Headers that programs for the Cell ask for and newlib lacks.
add_headers() {
    cp -u "$root"/toolchain/include/*.h "$1/spu-elf/include/"
}

from_source() {
    local tool
    for tool in g++ make flex bison dpkg-deb apt-get; do
        command -v "$tool" >/dev/null || die "a build needs $tool"
    done
    say "building from source in $cache with $jobs jobs; 8 minutes on two idle cores"
    fetch_sources
    step binutils build_binutils
    step gcc build_gcc
    add_headers "$built"
    echo "$built"
}

# Unpacks the ready archive, again if it has changed.
from_archive() {
    local directory=$cache/archive
    mkdir -p "$cache"
    # Build scripts of several builds may come here at once.
    exec 9>"$cache/archive.lock" && flock 9
    if [ ! -e "$directory/stamp" ] || [ "$archive" -nt "$directory/stamp" ]; then
        say "unpacking $archive"
        rm -rf "$directory" && mkdir -p "$directory"
        tar -xf "$archive" -C "$directory" --strip-components=1
        touch "$directory/stamp"
    fi
    add_headers "$directory"
    echo "$directory"
}

prefix() {
    if [ -n "${SPU_PREFIX-}" ]; then
        [ -x "$SPU_PREFIX/bin/spu-elf-gcc" ] || die "SPU_PREFIX=$SPU_PREFIX has no bin/spu-elf-gcc"
        echo "$SPU_PREFIX"
    elif [ -e "$archive" ]; then
        from_archive
    else
        from_source
    fi
}

# A program whose exit status shows that compiler, library and simulator agree.
verify() {
    local gcc=$1/bin/spu-elf-gcc directory status=0 output
    "$gcc" --version >/dev/null || die "$gcc does not run; it needs libgmp10, libmpfr6 and libmpc3"
    directory=$(mktemp -d)
    cat >"$directory/verify.c" <<'C'
#include <stdio.h>
#include <spu_intrinsics.h>
int main(void) {
    vector float two = spu_splats(2.0f);
    vector float sum = spu_madd(two, two, spu_splats(38.0f));
    printf("%d %g\n", (int)spu_extract(sum, 0), 0.1 + 0.2);
    return (int)spu_extract(sum, 3);
}
C
    for cpu in cell celledp; do
        "$gcc" -O2 -march="$cpu" "$directory/verify.c" -o "$directory/verify"
        output=$(cd "$root" && cargo run --quiet --release -p spu-sim -- run --cpu "$cpu" "$directory/verify") || status=$?
        [ "$status $output" = "42 42 0.3" ] || die "the test program for $cpu gave status $status and printed '$output'"
        status=0
    done
    rm -rf "$directory"
    say "$1 compiles programs for both processors that run on the simulator"
}

case ${1-} in
    "") found=$(prefix); verify "$found"; echo "$found" ;;
    --prefix) prefix ;;
    --find) [ -n "${SPU_PREFIX-}" ] || [ -e "$archive" ] || [ -e "$cache/stamps/gcc" ] || exit 1; prefix ;;
    --from-source) found=$(from_source); verify "$found"; echo "$found" ;;
    --sources) fetch_sources ;;
    --verify) verify "$(prefix)" ;;
    --testsuite)
        step fetch-gcc fetch_package bullseye gcc-9-source
        unpack_testsuite() {
            rm -rf "$cache/testsuite" && mkdir -p "$cache/testsuite"
            tar -xf "$cache"/packages/usr/src/gcc-9/gcc-9.*.tar.xz -C "$cache/testsuite" --strip-components=3 \
                --wildcards '*/gcc/testsuite/gcc.c-torture/execute' '*/gcc/testsuite/gcc.target/spu'
        }
        step unpack-testsuite unpack_testsuite
        echo "$cache/testsuite" ;;
    --help | -h) usage ;;
    *) say "unknown option $1"; usage >&2; exit 2 ;;
esac
