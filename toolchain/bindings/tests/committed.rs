//! The committed bindings equal the bindings that bindgen makes of the headers.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use bindings::Committed;

#[test]
fn the_bindings_of_libspe2_are_those_of_its_headers() {
    let committed = Committed { folder: "ppu-sys", header: "include/libspe2.h", bindings: "src/bindings.rs" };
    committed.check(
        |builder| {
            builder
                .clang_arg("-fparse-all-comments")
                .allowlist_file(".*/(libspe2|libspe2-types|cbea_map)\\.h")
                // Programs of 32 bits use the library as well; ppu-sys/src/layout.rs checks both widths.
                .layout_tests(false)
        },
        |text| {
            // The functions become a table that is filled at run time.
            let (types, functions) = text.split_once("unsafe extern \"C\" {\n").unwrap();
            assert!(!functions.contains("extern \"C\""), "the functions are not in one block");
            format!("{types}functions! {{\n{functions}")
        },
    );
}

#[test]
fn the_bindings_of_the_kernels_are_those_of_their_headers() {
    let committed =
        Committed { folder: "spe-kernels", header: "host/run.h", bindings: "src/sys/bindings.rs" };
    committed.check(
        |builder| {
            builder
                .clang_args(
                    ["include", "host", "kernels"].map(|inside| format!("-I{}", committed.path(inside))),
                )
                .allowlist_file(".*/(meu|run|mfc|kernel|memory|program|direct|spu_single)\\.h")
                .blocklist_function("mfc_.*")
                .blocklist_item("MFC_.*")
                .blocklist_type("mfc|mfc_command|mfc_list_element|mfc_list_element_t")
                // Opcodes are made of the table of operations, and a table of kernels is only pointed at: so
                // a new operation changes no bindings.
                .blocklist_item(
                    "meu_opcode|direct_opcode|MEU_OP_.*|MEU_OPCODE_COUNT|DIRECT_OP_.*|kernel_table",
                )
                .raw_line("use super::kernel_table;")
                .derive_default(true)
                .generate_cstr(true)
        },
        // Structures with pointers have another layout on machines of 32 bits.
        |text| text.replace("const _: () = {\n", "#[cfg(target_pointer_width = \"64\")]\nconst _: () = {\n"),
    );
}
