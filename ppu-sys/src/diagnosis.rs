//! Why SPEs cannot be used, told so that the reader knows what to do.

use std::path::PathBuf;
use std::{fs, io};

/// Where libspe2 expects the SPU file system; the path is built into the library.
const MOUNT_POINT: &str = "/spu";

/// What stands between a program and the SPEs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The library is not there, or not for this machine.
    #[error(
        "the library {name} cannot be loaded ({reason}); install libspe2, or name the library in PMATRIX_LIBSPE2"
    )]
    Library {
        /// Name or path.
        name: String,
        /// The loader's words.
        reason: String,
    },
    /// The library is another one.
    #[error("the library {name} has no function {function}, so it is not libspe2 2.x")]
    Function {
        /// Name or path.
        name: String,
        /// The first function that is missing.
        function: String,
    },
    /// The kernel knows nothing of SPEs.
    #[error(
        "this kernel offers no SPU file system: load its module (modprobe spufs), or use a kernel with CONFIG_SPU_FS"
    )]
    NoKernelSupport,
    /// The file system of the SPEs is not mounted.
    #[error(
        "the SPU file system is not mounted on /spu: as root, mkdir -p /spu && mount -t spufs spufs /spu"
    )]
    NotMounted,
    /// The user may not create contexts.
    #[error(
        "no permission to create SPE contexts in /spu: mount it with mode=1777, or with a gid that the user is in"
    )]
    NotPermitted,
    /// More SPEs are wanted than there are.
    #[error("{wanted} SPEs are wanted, but this machine has {usable} usable ones")]
    TooFewSpes {
        /// Number wanted.
        wanted: u32,
        /// Number that can be used.
        usable: u32,
    },
    /// Something else.
    #[error("an SPE context cannot be created: {}", io::Error::from_raw_os_error(*.errno))]
    Context {
        /// The error number.
        errno: i32,
    },
}

/// Where the facts on this system are read.
#[derive(Debug, Clone)]
pub struct System {
    /// The list of mounted file systems.
    pub mounts: PathBuf,
    /// The list of file systems that the kernel knows.
    pub filesystems: PathBuf,
}

impl Default for System {
    fn default() -> System {
        System { mounts: "/proc/mounts".into(), filesystems: "/proc/filesystems".into() }
    }
}

impl System {
    /// Why `spe_context_create` failed with this error.
    pub fn explain(&self, error: io::Error) -> Unavailable {
        let errno = error.raw_os_error().unwrap_or(0);
        if !self.is_mounted() {
            return if self.is_known() { Unavailable::NotMounted } else { Unavailable::NoKernelSupport };
        }
        match errno {
            libc::EACCES | libc::EPERM | libc::EROFS => Unavailable::NotPermitted,
            libc::ENOSYS => Unavailable::NoKernelSupport,
            errno => Unavailable::Context { errno },
        }
    }

    /// Whether the SPU file system is mounted where libspe2 looks for it. A line is: device, path, type,
    /// options.
    fn is_mounted(&self) -> bool {
        fs::read_to_string(&self.mounts).unwrap_or_default().lines().any(|line| {
            let mut fields = line.split_whitespace().skip(1);
            fields.next() == Some(MOUNT_POINT) && fields.next() == Some("spufs")
        })
    }

    /// Whether the kernel knows the SPU file system. A line is its name, with `nodev` before it.
    fn is_known(&self) -> bool {
        let list = fs::read_to_string(&self.filesystems).unwrap_or_default();
        list.lines().any(|line| line.split_whitespace().last() == Some("spufs"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system with these lists, in files of their own.
    fn explain(name: &str, mounts: &str, filesystems: &str, errno: i32) -> Unavailable {
        let directory = std::env::temp_dir().join(format!("ppu-sys-{}-{name}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let system = System { mounts: directory.join("mounts"), filesystems: directory.join("filesystems") };
        fs::write(&system.mounts, mounts).unwrap();
        fs::write(&system.filesystems, filesystems).unwrap();
        let reason = system.explain(io::Error::from_raw_os_error(errno));
        fs::remove_dir_all(directory).unwrap();
        reason
    }

    const KNOWN: &str = "nodev\tsysfs\nnodev\tspufs\n\text4\n";
    const MOUNTED: &str = "proc /proc proc rw 0 0\nspufs /spu spufs rw,relatime 0 0\n";

    #[test]
    fn each_obstacle_has_its_own_reason() {
        let unmounted = "proc /proc proc rw 0 0\nnone /mnt/spu spufs rw 0 0\n/dev/sda1 /spu ext4 rw 0 0\n";
        for (name, mounts, filesystems, errno, reason) in [
            ("kernel", "", "nodev\tsysfs\n\text4\n", libc::ENOENT, Unavailable::NoKernelSupport),
            ("mount", unmounted, KNOWN, libc::ENOENT, Unavailable::NotMounted),
            ("permission", MOUNTED, KNOWN, libc::EACCES, Unavailable::NotPermitted),
            ("read-only", MOUNTED, KNOWN, libc::EROFS, Unavailable::NotPermitted),
            ("system call", MOUNTED, KNOWN, libc::ENOSYS, Unavailable::NoKernelSupport),
            ("memory", MOUNTED, KNOWN, libc::ENOMEM, Unavailable::Context { errno: libc::ENOMEM }),
        ] {
            assert_eq!(explain(name, mounts, filesystems, errno), reason, "{name}");
        }
    }

    #[test]
    fn reasons_say_what_to_do() {
        for (reason, part) in [
            (Unavailable::NoKernelSupport, "modprobe spufs"),
            (Unavailable::NotMounted, "mount -t spufs spufs /spu"),
            (Unavailable::NotPermitted, "mode=1777"),
            (Unavailable::Context { errno: libc::ENOMEM }, "memory"),
        ] {
            assert!(reason.to_string().contains(part), "{reason}");
        }
    }
}
