//! Compiled programs from start to exit, in every way of running them.

mod common;

use std::process::{Command, Output};

use common::{Scratch, run, toolchain};

const SIMULATOR: &str = env!("CARGO_BIN_EXE_spu-sim");

/// Compiles `source` for both processors and runs it with each set of options. All outputs have to be equal.
fn check(name: &str, source: &str, compile: &[&str], arguments: &[&str], status: i32, stdout: &str) {
    let Some(bin) = toolchain() else { return };
    let scratch = Scratch::new(name);
    let (file, program) = (scratch.path("program.c"), scratch.path("program"));
    std::fs::write(&file, source).expect("writable");
    for cpu in ["cell", "celledp"] {
        let march = format!("-march={cpu}");
        run(Command::new(bin.join("spu-elf-gcc"))
            .args(["-O2", &march])
            .arg(&file)
            .args(compile)
            .arg("-o")
            .arg(&program));
        for mode in [&[][..], &["--timing"]] {
            let output = Command::new(SIMULATOR)
                .args(["run", "--cpu", cpu])
                .args(mode)
                .args(if arguments.is_empty() { &[][..] } else { &["--stdmain"] })
                .arg(&program)
                .args(arguments)
                .output()
                .expect("the simulator starts");
            let Output { status: got, stdout: text, stderr } = output;
            let stderr = String::from_utf8_lossy(&stderr);
            assert_eq!(String::from_utf8_lossy(&text), stdout, "{cpu} {mode:?}: {stderr}");
            assert_eq!(got.code(), Some(status), "{cpu} {mode:?}: {stderr}");
        }
    }
}

#[test]
fn prints_and_exits() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char *text = malloc(32);
    sprintf(text, "%s %5.2f %lld", "text", 3.14159, 1234567890123LL);
    puts(text);
    fprintf(stderr, "to stderr\n");
    return 42;
}"#;
    check("prints", source, &[], &[], 42, "text  3.14 1234567890123\n");
}

/// Functions that do not fit the local store together share a part of it. They come from the file in main
/// memory.
#[test]
fn overlays_are_loaded() {
    let source = r#"
#define FUNCTION(name, value) \
    __attribute__((noinline)) static int name(int x) { \
        asm volatile(".rept 25000\n\tnop $127\n\t.endr"); return x * 10 + value; }
FUNCTION(one, 1) FUNCTION(two, 2) FUNCTION(three, 3)
int main(void) { return one(three(two(one(0)))) == 1231 ? 42 : 1; }"#;
    let options = ["-mno-branch-hints", "-ffunction-sections", "-Wl,--auto-overlay"];
    check("overlays", source, &options, &[], 42, "");
}

/// What the compiler puts between instructions to pair them is one instruction, so that its branch hints
/// reach.
#[test]
fn pairs_are_filled_with_one_instruction() {
    let Some(bin) = toolchain() else { return };
    let library = run(Command::new(bin.join("spu-elf-gcc")).arg("-print-file-name=libc.a"));
    let listing = run(Command::new(bin.join("spu-elf-objdump")).args(["-d", library.trim()]));
    let (mut longest, mut row) = (0, 0);
    for line in listing.lines() {
        row = if line.contains("\tnop\t") { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    assert!((1..=4).contains(&longest), "{longest} nops in a row");
}

#[test]
fn headers_of_programs_for_the_cell_are_there() {
    let source = r#"
#include <simdmath.h>
#include <libmisc.h>
#include <free_align.h>
#include <stdint.h>
int main(void) {
    vector float x = { 0, 1, 4, 9 }, sine, cosine;
    if (spu_extract(sqrtf4(x), 3) != 3 || spu_extract(negatef4(x), 2) != -4) return 1;
    if (spu_extract(powf4(x, spu_splats(2.0f)), 2) != 16) return 2;
    sincosf4(x, &sine, &cosine);
    if (spu_extract(sine, 1) != sinf(1) || spu_extract(cosine, 0) != 1) return 3;
    if (spu_extract(divd2(spu_splats(1.0), spu_splats(4.0)), 1) != 0.25) return 4;
    char *a = malloc_align(100, 7), *b = _calloc_align(5, 20, 4);
    if ((uintptr_t)a % 128 || (uintptr_t)b % 16 || !a || !b || b[99]) return 5;
    free_align(a);
    _free_align(b);
    return 42;
}"#;
    check("headers", source, &["-Wall", "-Wextra", "-Werror", "-lm"], &[], 42, "");
}

#[test]
fn takes_arguments() {
    let source = r#"
#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
    return argc;
}"#;
    check(
        "arguments",
        source,
        &["-mstdmain"],
        &["one", "two three", "--four"],
        4,
        "[one][two three][--four]",
    );
}

#[test]
fn moves_data_through_main_memory() {
    let source = r#"
#include <stdio.h>
#include <spu_mfcio.h>
static char out[4096] __attribute__((aligned(128))), in[4096] __attribute__((aligned(128)));
static mfc_list_element_t list[4] __attribute__((aligned(8)));
int main(unsigned long long spe, unsigned long long argp) {
    unsigned tag = mfc_tag_reserve();
    for (int i = 0; i < 4096; i++) out[i] = i * 7;
    mfc_write_tag_mask(1 << tag);
    mfc_put(out, argp, 4096, tag, 0, 0);
    mfc_getf(in, argp, 4096, tag, 0, 0);
    mfc_read_tag_status_all();
    for (int i = 0; i < 4096; i++) if (in[i] != out[i]) return 1;
    for (int i = 0; i < 4; i++) { list[i].notify = i == 1; list[i].size = 128; list[i].eal = argp + 128 * (3 - i); }
    mfc_getl(in, argp, list, sizeof list, tag, 0, 0);
    if (mfc_read_list_stall_status() != 1u << tag) return 2;
    mfc_write_list_stall_ack(tag);
    mfc_read_tag_status_all();
    for (int i = 0; i < 512; i++) if (in[i] != out[128 * (3 - i / 128) + i % 128]) return 3;
    mfc_getllar(in, argp, 0, 0);
    if (mfc_read_atomic_status() != MFC_GETLLAR_STATUS) return 4;
    in[0]++;
    mfc_putllc(in, argp, 0, 0);
    if (mfc_read_atomic_status() != 0) return 5;
    puts("moved");
    return 0;
}"#;
    check("dma", source, &[], &[], 0, "moved\n");
}

/// Each SPE adds itself to a counter in main memory and waits for all other SPEs, which ends only if all run
/// at once.
#[test]
fn spes_run_side_by_side() {
    let Some(bin) = toolchain() else { return };
    let scratch = Scratch::new("side-by-side");
    let (file, program) = (scratch.path("program.c"), scratch.path("program"));
    let source = r#"
#include <spu_mfcio.h>
static volatile unsigned line[32] __attribute__((aligned(128)));
static void get(unsigned long long ea) {
    mfc_getllar(line, ea, 0, 0);
    mfc_read_atomic_status();
}
int main(unsigned long long spe, unsigned long long argp) {
    do {
        get(argp);
        line[0]++;
        line[1 + spe] = spe;
        mfc_putllc(line, argp, 0, 0);
    } while (mfc_read_atomic_status());
    do get(argp); while (line[0] != 4);
    return line[1] + line[2] + line[3] + line[4] == 6 ? 0 : 1;
}"#;
    std::fs::write(&file, source).expect("writable");
    run(Command::new(bin.join("spu-elf-gcc")).arg("-O2").arg(&file).arg("-o").arg(&program));
    for mode in [&[][..], &["--timing"]] {
        let output = Command::new(SIMULATOR)
            .args(["run", "--spes", "4", "--limit", "10000000000"])
            .args(mode)
            .arg(&program)
            .output()
            .expect("the simulator starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{mode:?}: {errors}");
    }
}

/// The time base of a PlayStation 3 is three times as fast as that of a QS22.
#[test]
fn the_decrementer_ticks_as_in_the_machine_of_the_processor() {
    let Some(bin) = toolchain() else { return };
    let scratch = Scratch::new("ticks");
    let (file, program) = (scratch.path("program.c"), scratch.path("program"));
    let source = r#"
#include <spu_mfcio.h>
int main(void) {
    spu_write_decrementer(1000000);
    for (int i = 0; i < 12000; i++) asm volatile ("nop $127");
    return (1000000 - spu_read_decrementer()) / 10;
}"#;
    std::fs::write(&file, source).expect("writable");
    run(Command::new(bin.join("spu-elf-gcc")).args(["-O0"]).arg(&file).arg("-o").arg(&program));
    let ticks = ["cell", "celledp"].map(|cpu| {
        let arguments = ["run", "--timing", "--cpu", cpu];
        let output = Command::new(SIMULATOR).args(arguments).arg(&program).output();
        output.expect("the simulator starts").status.code().expect("it exits")
    });
    assert!(ticks[1] > 30 && (ticks[0] - 3 * ticks[1]).abs() <= 3, "{ticks:?}");
}

/// Also with a compiler that puts constructors where the start-up code does not look.
#[test]
fn constructors_run_in_order() {
    let source = r#"
static int calls;
__attribute__((constructor)) static void second(void) { calls = 10 * calls + 2; }
__attribute__((constructor(200))) static void first(void) { calls = 10 * calls + 1; }
int main(void) { return calls; }
"#;
    let helper = concat!(env!("CARGO_MANIFEST_DIR"), "/../constructors.c");
    check("constructors", source, &["-Wl,--wrap=main", helper], &[], 12, "");
}

/// The errors that a program can run into, with their message and the status of a failed simulation.
#[test]
fn errors_are_reported() {
    let Some(bin) = toolchain() else { return };
    let scratch = Scratch::new("errors");
    let cases = [
        ("for (;;);", "reached the instruction limit"),
        ("asm volatile (\".long 0x00800000\");", "invalid instruction 0x00800000"),
        ("asm volatile (\"il $3,1; heqi $3,1\");", "halted"),
        ("spu_readch(29);", "waits for channel 29"),
        ("asm volatile (\"stop 0x11\");", "stopped with code 0x0011"),
        ("mfc_get((void *)1, 0x10000, 16, 0, 0, 0);", "DMA alignment"),
        ("mfc_get((void *)0, 0, 16, 0, 0, 0);", "no read access to effective address 0x0"),
        ("spu_mfcdma64((void *)0, 0, 0, 16, 0, 0x7fff);", "invalid DMA command 0x7fff"),
    ];
    for (statement, message) in cases {
        let (file, program) = (scratch.path("error.c"), scratch.path("error"));
        std::fs::write(
            &file,
            format!("#include <spu_mfcio.h>\nint main(void) {{ {statement} return 0; }}\n"),
        )
        .expect("writable");
        run(Command::new(bin.join("spu-elf-gcc")).args(["-O1", "-w"]).arg(&file).arg("-o").arg(&program));
        let output = Command::new(SIMULATOR)
            .args(["run", "--limit", "1000000"])
            .arg(&program)
            .output()
            .expect("the simulator starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(message), "{statement}: {text}");
        assert_eq!(output.status.code(), Some(255), "{statement}");
    }
}

#[test]
fn files_that_are_no_programs() {
    let scratch = Scratch::new("no-program");
    let file = scratch.path("file");
    std::fs::write(&file, "text").expect("writable");
    let output = Command::new(SIMULATOR).arg("run").arg(&file).output().expect("the simulator starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("not an ELF file"));
    assert_eq!(output.status.code(), Some(255));
}

/// Listings work on a real program; their contents are the business of unit tests.
#[test]
fn listings() {
    let Some(bin) = toolchain() else { return };
    let scratch = Scratch::new("listings");
    let (file, program) = (scratch.path("program.c"), scratch.path("program"));
    std::fs::write(&file, "int f(int x) { return x + 1; } int main(void) { return f(2); }\n")
        .expect("writable");
    run(Command::new(bin.join("spu-elf-gcc")).arg(&file).arg("-o").arg(&program));
    for (command, expected) in [("disasm", "<main>:"), ("profile", "main"), ("trace", "brsl")] {
        let output =
            Command::new(SIMULATOR).arg(command).arg(&program).output().expect("the simulator starts");
        assert!(String::from_utf8_lossy(&output.stdout).contains(expected), "{command}");
        assert_eq!(output.status.code(), Some(if command == "disasm" { 0 } else { 3 }), "{command}");
    }
}
