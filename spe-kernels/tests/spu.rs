//! The MEU as an SPE program: it fits the local store, and its stack is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use spe_kernels::Processor;
use spe_kernels::sys::{MEU_CODE_BYTES, MEU_LOCAL_STORE_BYTES, MEU_OVERLAY_BYTES};

/// Above the stack the start keeps a frame of its own.
const STACK_TOP: u32 = MEU_LOCAL_STORE_BYTES - 32;

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tools print text")
}

/// The directory of the SPU's binary tools, which `toolchain/spu-gcc.sh` finds.
fn tools() -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolchain/spu-gcc.sh");
    PathBuf::from(output(Command::new(script).arg("--find")).trim()).join("bin")
}

/// A function of the image, from its disassembly.
#[derive(Debug, Clone, Default)]
struct Function {
    frame_bytes: u32,
    calls: BTreeSet<String>,
    calls_through_pointer: bool,
}

fn functions(disassembly: &str) -> BTreeMap<String, Function> {
    let mut functions = BTreeMap::<String, Function>::new();
    let (mut name, mut constants) = (String::new(), BTreeMap::<&str, i64>::new());
    for line in disassembly.lines() {
        if let Some(symbol) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            name = symbol.1.to_owned();
            functions.entry(name.clone()).or_default();
            constants.clear();
            continue;
        }
        let mut columns = line.split('\t').skip(2);
        let (Some(operation), Some(operands)) = (columns.next(), columns.next()) else { continue };
        let Some(function) = functions.get_mut(&name) else { continue };
        let fields: Vec<&str> = operands.split(['\t', ' ']).next().unwrap_or("").split(',').collect();
        match (operation, fields.as_slice()) {
            ("il", [register, value]) => {
                constants.insert(register, value.parse().unwrap_or(0));
            }
            ("ai", ["$1", "$1", value]) => {
                let bytes: i64 = value.parse().unwrap_or(0);
                function.frame_bytes = function.frame_bytes.max(u32::try_from(-bytes).unwrap_or(0));
            }
            ("a", ["$1", "$1", register] | ["$1", register, "$1"]) => {
                let bytes = constants.get(register).copied().unwrap_or(i64::MIN);
                assert!(bytes != i64::MIN, "{name}: frame of unknown size");
                function.frame_bytes = function.frame_bytes.max(u32::try_from(-bytes).unwrap_or(0));
            }
            ("bisl", _) => function.calls_through_pointer = true,
            _ if operation.starts_with('b') => {
                // A call, or a tail call: a branch to the beginning of another function.
                let target =
                    operands.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map(|(name, _)| name);
                if let Some(target) = target.filter(|target| !target.contains('+') && *target != name) {
                    function.calls.insert(target.to_owned());
                }
                assert!(operation != "brsl" || target != Some(name.as_str()), "{name} calls itself");
            }
            _ => {}
        }
    }
    functions
}

/// What `name` calls through a pointer: the loops of operations (`kernels/spu/run.c`) call functions of
/// vectors, the loop of short operations calls turns (`kernels/spu/turns.c`), reductions
/// (`kernels/spu/reduction.c`) call steps, a step of a program calls element-wise kernels, and all other
/// functions call products.
fn called_through_pointer<'a>(
    functions: &'a BTreeMap<String, Function>,
    name: &str,
) -> impl Iterator<Item = &'a str> {
    let is_called: fn(&str) -> bool = match name {
        "run_calls" => |name| name.ends_with("_vector") || name == "vd_divide",
        // Doubles of short operations on a Cell BE too.
        "run_partial_calls" => |name| name.ends_with("_vector") || name.ends_with("_double_turn"),
        "run_turns" => |name| name.ends_with("_turn"),
        "reduce" => |name| name.ends_with("_step_f") || name.ends_with("_step_d"),
        "step_execute" => |name| name.ends_with("_v16") && !name.starts_with("multiply"),
        _ => |name| name.ends_with("_v16") && name.starts_with("multiply"),
    };
    functions.keys().map(String::as_str).filter(move |name| is_called(name))
}

/// Bytes of stack below `name`, itself included.
fn stack_bytes(functions: &BTreeMap<String, Function>, name: &str, path: &mut Vec<String>) -> u32 {
    let Some(function) = functions.get(name) else { return 0 };
    assert!(!path.iter().any(|caller| caller == name), "recursion: {path:?} -> {name}");
    path.push(name.to_owned());
    let mut below =
        function.calls.iter().map(|callee| stack_bytes(functions, callee, path)).max().unwrap_or(0);
    if function.calls_through_pointer {
        let callees = called_through_pointer(functions, name);
        let deepest = callees.map(|callee| stack_bytes(functions, callee, path)).max();
        below = deepest.unwrap_or_else(|| panic!("{name} calls nothing that is known")).max(below);
    }
    path.pop();
    function.frame_bytes + below
}

fn section_bytes(sizes: &str, wanted: &[&str]) -> u32 {
    let lines = sizes.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines
        .filter(|fields| fields.len() == 3 && wanted.contains(&fields[0]))
        .map(|fields| fields[1].parse::<u32>().expect("a size"))
        .sum()
}

/// The directory in which `build-spu.sh` leaves the image, the overlays and their ELF files.
fn built(processor: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("image-{processor}"));
    let prefix = tools().join("..");
    output(Command::new(root.join("build-spu.sh")).arg(processor).arg(&directory).env("SPU_PREFIX", prefix));
    directory
}

/// The overlays, as `include/overlays.def` names them.
fn overlays() -> Vec<&'static str> {
    let names = include_str!("../include/overlays.def").lines();
    names.filter_map(|line| Some(line.strip_prefix("OVERLAY (")?.split_once(',')?.0)).collect()
}

#[test]
fn the_meu_fits_an_spe() {
    for (processor, name) in [(Processor::CellBe, "cell"), (Processor::PowerXCell8i, "celledp")] {
        let contents = match spe_kernels::image(processor) {
            Ok(contents) => contents,
            Err(missing) => {
                assert!(std::env::var("REQUIRE_ALL").is_err(), "{missing}");
                println!("skipped: {missing}");
                return;
            }
        };
        let directory = built(name);
        let image = directory.join("meu.elf");
        assert_eq!(
            std::fs::read(&image).expect("the image was built"),
            contents,
            "another image is embedded"
        );
        let bytes = |file: &Path, sections: &[&str]| {
            section_bytes(&output(Command::new(tools().join("spu-elf-size")).arg("-A").arg(file)), sections)
        };
        let disassembled = |file: &Path| {
            functions(&output(Command::new(tools().join("spu-elf-objdump")).arg("-d").arg(file)))
        };
        let code = bytes(&image, &[".text", ".rodata", ".data"]) + MEU_OVERLAY_BYTES;
        let data = bytes(&image, &[".bss"]) - MEU_OVERLAY_BYTES;
        assert!(code <= MEU_CODE_BYTES, "{processor:?}: {code} bytes of code and constants");
        let left = STACK_TOP - (code + data).next_multiple_of(128);
        println!("{processor:?}: {code} bytes of code and constants, {data} of data");

        let resident = disassembled(&image);
        assert!(
            resident.len() > 30 && resident["multiply_double_v16"].frame_bytes > 0,
            "the disassembly was understood"
        );
        // The MEU with each of its overlays.
        for name in overlays() {
            let overlay = directory.join(format!("{name}.elf"));
            let mut functions = resident.clone();
            let own = disassembled(&overlay);
            let is_kernel = |name: &String| name.ends_with("_double_v16") || name.ends_with("_execute");
            assert!(own.keys().any(is_kernel), "{name} has kernels");
            functions.extend(own);
            let stack = stack_bytes(&functions, "main", &mut Vec::new());
            let size = bytes(&overlay, &[".overlay"]);
            println!("  {name}: {size} of {MEU_OVERLAY_BYTES} bytes; stack {stack} of {left}");
            assert!(stack <= left, "{processor:?}: the stack needs {stack} bytes, and {left} are left");
        }
    }
}
