#!/bin/sh
# Builds the MEU for an SPE: build-spu.sh CPU DIRECTORY, where CPU is cell or celledp (PowerXCell 8i).
# It writes DIRECTORY/meu.elf, and DIRECTORY/overlays.bin, which has the overlays in the order of
# include/overlays.def.
# SPU_PREFIX is the directory with bin/spu-elf-gcc, which toolchain/spu-gcc.sh prints. Without SPU_PREFIX the
# compiler is looked for on PATH.
set -eu
if [ $# -ne 2 ]; then
  sed -n '2,/^[^#]/s/^# //p' "$0" >&2
  exit 2
fi
cpu=$1
root=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cd "$2"
tools=${SPU_PREFIX:+$SPU_PREFIX/bin/}spu-elf
gcc=$tools-gcc
overlay_bytes=$(sed -n 's/^#define MEU_OVERLAY_BYTES \([0-9]*\)u .*/\1/p' "$root/include/meu.h")

flags="-march=$cpu -mtune=$cpu -std=gnu11 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Werror
  -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections
  -I$root/include -I$root/kernels -I$root/kernels/ref -I$root/meu"
# Steps and element-wise kernels are loops, whose branches are hinted, and calls of one another. A hint cannot
# reach its branch in time within a loop of a few instructions, so the hint has to stand before the loop. GCC
# turns loops round for such a hint, but not with -Os. The code is smaller and no slower without nops that
# would pair instructions, and without the second scheduling pass.
kernels="-O2 -mdual-nops=0 -fno-schedule-insns2 -fno-tree-scev-cprop"
# All other code runs a few times an operation, or takes long anyway, so it is made small. Each of these
# options was chosen by the size of the code.
control="-Os -mno-branch-hints -mno-safe-hints -mbranch-cost=1 -fno-schedule-insns2 -fno-move-loop-invariants
  -fno-tree-forwprop"

compile() {
  source=$1
  shift
  object=$(basename "${source%.*}").o
  # shellcheck disable=SC2086 # flags are words
  $gcc $flags "$@" -c "$root/$source" -o "$object"
  objects="$objects $object"
}

# What nothing but the MEU calls is one translation unit, since the compiler then knows all arguments.
for source in kernels/product.c kernels/program.c meu/dma.c meu/overlay.c meu/profile.c meu/record.c meu/main.c; do
  printf '#include "%s"\n' "$source"
done >control.c
# shellcheck disable=SC2086
$gcc $flags "-I$root" $control -fwhole-program -c control.c -o control.o
objects=control.o
for source in meu/start.S kernels/opcodes.c kernels/table.c kernels/spu/memory.c kernels/spu/product/multiply.c; do
  # shellcheck disable=SC2086
  compile $source $control
done
for source in kernels/step.c kernels/spu/arithmetic.c kernels/spu/run.c kernels/spu/divide.c kernels/spu/vec.c; do
  # shellcheck disable=SC2086
  compile $source $kernels
done
compile kernels/spu/product/multiply_single.S
compile kernels/spu/product/multiply_double.S
compile kernels/spu/entries.S "-DOVERLAY_BYTES=$overlay_bytes"
# Overlays call these, so they stay in the image.
shared=$("$tools-nm" -g --defined-only vec.o run.o divide.o memory.o | awk 'NF == 3 { print "-Wl,-u," $3 }')
# shellcheck disable=SC2086
$gcc "-march=$cpu" -nostartfiles -Wl,--gc-sections $shared $objects -o meu.elf

# Links an overlay: its name, then its sources.
overlay() {
  name=$1
  shift
  objects=
  compile kernels/spu/entries.S "-DOVERLAY=$name"
  mv entries.o "$name.entries.o"
  objects=$name.entries.o
  for source in "$@"; do
    # shellcheck disable=SC2086
    compile $source $kernels
  done
  area=$("$tools-nm" meu.elf | awk '$3 == "overlay_area" { print "0x" $1 }')
  # shellcheck disable=SC2086
  $gcc "-march=$cpu" -nostartfiles -nostdlib -Wl,--gc-sections -Wl,-e,overlay_entries "-Wl,-T,$root/meu/overlay.ld" \
    "-Wl,--defsym=AREA=$area" "-Wl,--defsym=AREA_BYTES=$overlay_bytes" -Wl,--just-symbols=meu.elf $objects -lgcc -o "$name.elf"
  "$tools-objcopy" -O binary --only-section=.overlay --pad-to="$((area + overlay_bytes))" "$name.elf" "$name.bin"
}

# Each line of overlays.def becomes the arguments of `overlay`.
sed -n 's/^OVERLAY (\(.*\), "\(.*\)")$/\1 \2/p' "$root/include/overlays.def" >overlays
: >overlays.bin
while read -r line; do
  # shellcheck disable=SC2086 # the line is words
  overlay $line </dev/null
  cat "$name.bin" >>overlays.bin
done <overlays
