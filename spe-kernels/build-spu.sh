#!/bin/sh
# Builds the MEU for an SPE: build-spu.sh CPU DIRECTORY, where CPU is cell or celledp (PowerXCell 8i).
# Leaves DIRECTORY/meu.elf. SPU_PREFIX is the directory with bin/spu-elf-gcc (toolchain/spu-gcc.sh prints it); by default it is on PATH.
set -eu
if [ $# -ne 2 ]; then
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
fi
cpu=$1
root=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cd "$2"
gcc=${SPU_PREFIX:+$SPU_PREFIX/bin/}spu-elf-gcc

flags="-march=$cpu -mtune=$cpu -std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Werror
  -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections
  -I$root/include -I$root/kernels -I$root/kernels/ref -I$root/meu"
# Branch hints have a price: the SPU may hang on some, and GCC avoids that with twenty instructions each. They pay in
# loops over vectors. Elsewhere there are none, and the second scheduling pass, which would fill up pairs, is off.
loops="-mdual-nops=0"
control="-Os -mno-branch-hints -mno-safe-hints -fno-schedule-insns2"

objects=
compile() {
  source=$1
  shift
  object=$(basename "${source%.*}").o
  # shellcheck disable=SC2086 # flags are words
  $gcc $flags "$@" -c "$root/$source" -o "$object"
  objects="$objects $object"
}

# shellcheck disable=SC2086
for source in meu/start.S meu/main.c meu/dma.c meu/profile.c kernels/execute.c kernels/table.c kernels/ref/reduce.c \
  kernels/spu/vec.c kernels/spu/memory.c; do
  compile $source $control
done
# On a Cell BE, whose hints are the dear ones, an unhinted branch a vector is little beside the hundreds of cycles that its
# double precision takes for each vector of these.
heavy="-Os $loops"
[ "$cpu" = celledp ] || heavy=$control
for source in kernels/spu/divide.c kernels/ref/mod.c kernels/ref/trigonometry.c kernels/ref/power.c; do
  # shellcheck disable=SC2086
  compile $source $heavy
done
# shellcheck disable=SC2086
compile kernels/ref/arithmetic.c -Os $loops
# shellcheck disable=SC2086
compile kernels/spu/multiply.c $control
compile kernels/spu/multiply_single.S
compile kernels/spu/multiply_double.S
# shellcheck disable=SC2086
$gcc "-march=$cpu" -nostartfiles -Wl,--gc-sections $objects -o meu.elf
