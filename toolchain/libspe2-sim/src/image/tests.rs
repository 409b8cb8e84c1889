use super::*;
use crate::context::{context, create};

/// An address in the image, of 64 bits.
const R_SPU_PPU64: u32 = 16;

/// A minimal executable: one segment at address 0 with these words, a section `.toe` at 0x100, and one `._ea`
/// at 0 with a doubleword that a relocation fills with the address of the word at offset 4 of the file.
fn executable() -> Vec<u8> {
    let mut file = vec![0; 1024];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"\x7fELF\x01\x02\x01");
    for (at, value) in [(16, 2), (18, 23), (42, 32), (44, 1), (46, 40), (48, 5), (50, 4)] {
        put(at, &u16::to_be_bytes(value));
    }
    for (at, value) in [(20, 1), (28, 52), (32, 200)] {
        put(at, &u32::to_be_bytes(value));
    }
    // PT_LOAD of 16 bytes at file offset 512, with 0x200 bytes in local store.
    for (at, value) in [(52, 1), (56, 512), (68, 16), (72, 0x200)] {
        put(at, &u32::to_be_bytes(value));
    }
    put(512, &[7; 16]);
    // Section headers 1 to 4: name, type, flags, address, offset, size, link, info.
    for (number, header) in [
        [1, 8, 2, 0x100, 0, 16, 0, 0],
        [6, 1, 0, 0, 600, 8, 0, 0],
        [11, 4, 0, 0, 620, 12, 0, 2],
        [0, 3, 0, 0, 640, 32, 0, 0],
    ]
    .into_iter()
    .enumerate()
    {
        for (field, value) in header.into_iter().enumerate() {
            put(200 + 40 * (number + 1) + 4 * field, &u32::to_be_bytes(value));
        }
    }
    for (at, value) in [(620, 0), (624, R_SPU_PPU64), (628, 4)] {
        put(at, &u32::to_be_bytes(value));
    }
    put(640, b"\0.toe\0._ea\0.rela._ea\0");
    file
}

#[test]
fn an_embedded_image_is_measured_relocated_and_loaded() {
    let mut file = executable();
    let mut shadow = [0x0102_0304_0506_0708u64, 0];
    let pointer = create(0, ptr::null_mut(), ptr::null_mut()).unwrap();
    let context = context(pointer).unwrap();
    let start = file.as_mut_ptr();
    start.expose_provenance();
    shadow.as_mut_ptr().expose_provenance();
    let mut handle = spe_program_handle {
        handle_size: 24,
        elf_image: start.cast(),
        toe_shadow: shadow.as_mut_ptr().cast(),
    };
    // SAFETY: the handle is one, and its image is in memory.
    unsafe { load(&context, &raw mut handle) }.unwrap();
    let ls = context.port.ls();
    assert_eq!((ls.load_word(0), ls.load_word(16)), (0x0707_0707, 0));
    assert_eq!((ls.load_word(0x100), ls.load_word(0x104)), (0x0102_0304, 0x0506_0708));
    // SAFETY: the place is in the file, which the relocation changed.
    let relocated = unsafe { start.add(600).cast::<[u8; 8]>().read_volatile() };
    assert_eq!(u64::from_be_bytes(relocated), start.addr() as u64 + 4);
    assert_eq!(lock(&context.program).entry, Some(0));
    // SAFETY: the structure lives with the context.
    assert_eq!(unsafe { (*pointer).handle.elf_image }, handle.elf_image);
    crate::context::destroy(pointer).unwrap();
}

#[test]
fn what_is_no_program_is_refused() {
    let pointer = create(0, ptr::null_mut(), ptr::null_mut()).unwrap();
    let context = context(pointer).unwrap();
    let mut truncated = executable();
    // The program header table lies beyond any memory.
    truncated[28..32].copy_from_slice(&[0xff; 4]);
    let mut other_machine = executable();
    other_machine[19] = 21;
    for (what, image) in [
        ("nothing", ptr::null_mut()),
        ("no memory", ptr::without_provenance_mut(0x40)),
        ("headers elsewhere", truncated.as_mut_ptr().cast::<c_void>()),
        ("another machine", other_machine.as_mut_ptr().cast::<c_void>()),
    ] {
        let mut handle =
            spe_program_handle { handle_size: 24, elf_image: image, toe_shadow: ptr::null_mut() };
        // SAFETY: the handle is one; whether the image is, is tested.
        let refused = unsafe { load(&context, &raw mut handle) };
        assert_eq!(refused, Err(Errno(libc::EINVAL)), "{what}");
    }
    // SAFETY: NULL is allowed.
    assert_eq!(unsafe { load(&context, ptr::null_mut()) }, Err(Errno(libc::EINVAL)));
    crate::context::destroy(pointer).unwrap();
}

#[test]
fn files_are_opened_as_they_may_be() {
    use std::os::unix::fs::PermissionsExt;
    let path = std::env::temp_dir().join(format!("libspe2-sim-image-{}", std::process::id()));
    let text = std::ffi::CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a C string.
    let open = || unsafe { open(text.as_ptr()) };
    assert_eq!(open(), Err(Errno(libc::ENOENT)));
    let write = |contents: &[u8], mode| {
        std::fs::write(&path, contents).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    write(&executable(), 0o600);
    assert_eq!(open(), Err(Errno(libc::EACCES)));
    write(b"#!/bin/sh\n", 0o700);
    assert_eq!(open(), Err(Errno(libc::EINVAL)));
    write(&executable(), 0o700);
    let handle = open().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((close(handle), close(handle)), (Ok(()), Err(Errno(libc::EINVAL))));
}
