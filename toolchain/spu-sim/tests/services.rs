//! Library and system calls of compiled programs, served from the host's files and the simulated main memory.
//! Each program ends with the number of the first check that fails, or with 0.

mod common;

use std::process::Command;

use common::{Scratch, run, toolchain};

const PRELUDE: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define CHECK(condition) do { if (!(condition)) { \
    printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno); return 1; } } while (0)
"#;

/// Compiles the program and runs it in an empty directory, as a single SPE and with timing; gives what it
/// prints.
fn check(name: &str, source: &str, compile: &[&str]) -> String {
    let Some(bin) = toolchain() else { return String::new() };
    let scratch = Scratch::new(name);
    let (file, program) = (scratch.path("program.c"), scratch.path("program"));
    std::fs::write(&file, format!("{PRELUDE}#line 1\n{source}")).expect("writable");
    run(Command::new(bin.join("spu-elf-gcc"))
        .args(["-std=gnu99", "-O2"])
        .args(compile)
        .arg(&file)
        .arg("-o")
        .arg(&program));
    let mut printed = String::new();
    for mode in [&[][..], &["--timing"]] {
        let directory = scratch.path("directory");
        std::fs::create_dir(&directory).expect("writable");
        let output = Command::new(env!("CARGO_BIN_EXE_spu-sim"))
            .arg("run")
            .args(mode)
            .arg(&program)
            .current_dir(&directory)
            .output()
            .expect("the simulator starts");
        printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name} {compile:?} {mode:?}: {printed}{errors}");
        std::fs::remove_dir_all(&directory).expect("ours");
    }
    printed
}

#[test]
fn directories_are_read() {
    let source = r#"
#include <dirent.h>
int main(void) {
    CHECK(mkdir("d", 0755) == 0);
    CHECK(close(creat("d/one", 0644)) == 0 && close(creat("d/two", 0644)) == 0);
    DIR *dir = opendir("d");
    CHECK(dir != NULL);
    int seen = 0, entries = 0;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        entries++;
        CHECK(entry->d_ino != 0);
        if (!strcmp(entry->d_name, "one")) seen |= 1;
        if (!strcmp(entry->d_name, "two")) seen |= 2;
    }
    CHECK(entries == 4 && seen == 3);
    CHECK(telldir(dir) == 4);
    rewinddir(dir);
    CHECK(telldir(dir) == 0 && readdir(dir) != NULL);
    seekdir(dir, 3);
    CHECK(readdir(dir) != NULL && readdir(dir) == NULL);
    CHECK(closedir(dir) == 0);
    CHECK(opendir("none") == NULL && errno == ENOENT);

    int fd = open("d", O_RDONLY);
    CHECK(fd >= 0 && fchdir(fd) == 0 && access("one", F_OK) == 0);
    CHECK(close(fd) == 0 && chdir("..") == 0);
    CHECK(unlink("d/one") == 0 && unlink("d/two") == 0 && rmdir("d") == 0);
    return 0;
}"#;
    check("directories", source, &[]);
}

#[test]
fn attributes_of_files() {
    let source = r#"
#include <sys/time.h>
#include <time.h>
#include <utime.h>
int main(void) {
    struct stat status;
    CHECK(umask(077) != (mode_t)-1);
    CHECK(umask(022) == 077);
    int fd = open("f", O_CREAT | O_RDWR, 0666);
    CHECK(fd >= 0 && fstat(fd, &status) == 0 && (status.st_mode & 0777) == 0644);
    CHECK(fchmod(fd, 0600) == 0 && stat("f", &status) == 0 && (status.st_mode & 0777) == 0600);
    CHECK(chmod("f", 0640) == 0 && stat("f", &status) == 0 && (status.st_mode & 0777) == 0640);
    CHECK(chown("f", status.st_uid, -1) == 0);
    CHECK(fchown(fd, -1, status.st_gid) == 0);
    CHECK(symlink("f", "l") == 0 && lchown("l", status.st_uid, status.st_gid) == 0);
    struct utimbuf times = { 1000000000, 1100000000 };
    CHECK(utime("f", &times) == 0 && stat("f", &status) == 0);
    CHECK(status.st_atime == 1000000000 && status.st_mtime == 1100000000);
    struct timeval both[2] = { { 1200000000, 5 }, { 1300000000, 999999 } };
    CHECK(utimes("f", both) == 0 && stat("f", &status) == 0);
    CHECK(status.st_atime == 1200000000 && status.st_mtime == 1300000000);
    CHECK(utime("f", NULL) == 0 && stat("f", &status) == 0 && status.st_mtime > 1300000000);
    CHECK(utime("none", NULL) == -1 && errno == ENOENT);
    struct timeval now;
    time_t seconds = time(NULL);
    CHECK(sizeof seconds == 4 && seconds > 1500000000 && gettimeofday(&now, NULL) == 0);
    CHECK(now.tv_sec >= seconds && now.tv_sec - seconds < 60 && now.tv_usec >= 0 && now.tv_usec < 1000000);
    CHECK(mknod("pipe", S_IFIFO | 0600, 0) == 0 && stat("pipe", &status) == 0 && S_ISFIFO(status.st_mode));
    CHECK(lockf(fd, F_LOCK, 0) == 0 && lockf(fd, F_TEST, 0) == 0 && lockf(fd, F_ULOCK, 0) == 0);
    CHECK(lockf(fd, 77, 0) == -1 && errno == EINVAL);
    CHECK(lockf(99, F_LOCK, 0) == -1 && errno == EBADF);
    return 0;
}"#;
    check("attributes", source, &[]);
}

#[test]
fn descriptors_are_duplicated_and_files_made() {
    let source = r#"
#include <sys/uio.h>
int main(void) {
    char name[] = "temporary-XXXXXX", back[16];
    int fd = mkstemp(name);
    CHECK(fd > 2 && access(name, R_OK | W_OK) == 0 && strcmp(name, "temporary-XXXXXX"));
    struct iovec out[3] = { { "abc", 3 }, { "", 0 }, { "defg", 4 } };
    CHECK(writev(fd, out, 3) == 7);
    int copy = dup(fd);
    CHECK(copy > 2 && copy != fd && lseek(copy, 1, SEEK_SET) == 1);
    char first[2], second[9];
    struct iovec in[2] = { { first, 2 }, { second, 9 } };
    CHECK(readv(fd, in, 2) == 6 && !memcmp(first, "bc", 2) && !memcmp(second, "defg", 4));
    CHECK(dup2(fd, 40) == 40 && dup2(fd, fd) == fd && close(fd) == 0);
    CHECK(pread(40, back, 3, 4) == 3 && !memcmp(back, "efg", 3));
    CHECK(dup2(99, 40) == -1 && errno == EBADF);
    sync();
    char free_name[] = "free-XXXXXX", bad[] = "no-pattern";
    CHECK(mktemp(free_name) == free_name && access(free_name, F_OK) == -1);
    CHECK(mkstemp(bad) == -1 && errno == EINVAL);

    /* Standard output goes elsewhere for a while. */
    printf("before\n");
    fflush(stdout);
    int out_copy = dup(1);
    int file = open("elsewhere", O_CREAT | O_RDWR, 0600);
    CHECK(out_copy > 2 && dup2(file, 1) == 1);
    printf("hidden\n");
    fflush(stdout);
    CHECK(dup2(out_copy, 1) == 1 && lseek(file, 0, SEEK_SET) == 0);
    CHECK(read(file, back, 16) == 7 && !memcmp(back, "hidden\n", 7));
    printf("after\n");
    return 0;
}"#;
    let printed = check("descriptors", source, &[]);
    assert!(printed.is_empty() || printed == "before\nafter\n", "{printed}");
}

#[test]
fn memory_of_the_ppe_is_allocated() {
    let source = r#"
#include <ea.h>
#include <spu_cache.h>
__ea char greeting[] = "greeting";
__ea int counts[100];
__ea char *where = greeting + 1;
int main(void) {
    __ea void *aligned = NULL;
    CHECK(greeting[0] == 'g' && *where == 'r' && counts[99] == 0);
    for (int i = 0; i < 100; i++) counts[i] = i;
    CHECK(counts[99] == 99);

    __ea int *block = malloc_ea(1000 * sizeof(int));
    CHECK(block != NULL);
    for (int i = 0; i < 1000; i++) block[i] = 3 * i;
    /* The compiler's cache of main memory knows nothing of the call. */
    cache_flush();
    block = realloc_ea(block, 3000 * sizeof(int));
    CHECK(block != NULL);
    for (int i = 0; i < 1000; i++) CHECK(block[i] == 3 * i);
    memset_ea(block, -1, 4000);
    cache_flush();
    __ea int *zeroed = calloc_ea(1000, sizeof(int));
    CHECK(zeroed != NULL && zeroed != block);
    for (int i = 0; i < 1000; i++) CHECK(zeroed[i] == 0);
    CHECK(posix_memalign_ea(&aligned, 4096, 5000) == 0);
    CHECK(aligned != NULL && (unsigned)(size_ea_t)aligned % 4096 == 0);
    CHECK(posix_memalign_ea(&aligned, 24, 5000) == EINVAL);
    free_ea(block);
    free_ea(zeroed);
    free_ea(NULL);
    CHECK(malloc_ea(0x40000000) == NULL);
    CHECK(realloc_ea(NULL, 0x40000000) == NULL && calloc_ea(0x10000, 0x10000) == NULL);
    strcpy_ea((__ea char *)aligned, greeting);
    CHECK(strlen_ea((__ea char *)aligned) == 8);
    return 0;
}"#;
    check("libea", source, &["-mea32"]);
}

/// Libraries are built for effective addresses of 32 bits only, so programs with addresses of 64 bits do
/// without them.
#[test]
fn variables_in_main_memory_have_addresses_of_both_sizes() {
    let source = r#"
#include <spu_mfcio.h>
__ea char greeting[32] __attribute__((aligned(16))) = "greeting";
__ea char *__ea indirect __attribute__((aligned(16))) = greeting + 2;
__ea char *where = greeting;
__ea char *__ea *where_indirect = &indirect;
static unsigned long long address(void *pointer) {
    return sizeof where == 8 ? *(unsigned long long *)pointer : *(unsigned *)pointer;
}
static void get(void *to, unsigned long long from) {
    spu_mfcdma64(to, from >> 32, from, 16, 0, MFC_GET_CMD);
    mfc_write_tag_mask(1);
    mfc_read_tag_status_all();
}
static char text[16] __attribute__((aligned(16)));
static char pointer[16] __attribute__((aligned(16)));
int main(void) {
    get(text, address(&where));
    CHECK(!strcmp(text, "greeting"));
    get(pointer, address(&where_indirect));
    CHECK(address(pointer) == address(&where) + 2);
    return 0;
}"#;
    check("ea-32", source, &["-mea32"]);
    check("ea-64", source, &["-mea64"]);
}

#[test]
fn files_are_mapped() {
    let source = r#"
#include <ea.h>
#include <sys/mman.h>
#include <spu_cache.h>
int main(void) {
    int fd = open("f", O_CREAT | O_RDWR, 0600);
    CHECK(write(fd, "0123456789", 10) == 10);
    __ea char *map = mmap_ea(NULL, 10, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(map != MAP_FAILED_EA && map[3] == '3' && map[10] == 0);
    map[3] = 'x';
    cache_flush();
    CHECK(msync_ea(map, 10, MS_SYNC) == 0);
    char back[11] = "";
    CHECK(pread(fd, back, 10, 0) == 10 && !strcmp(back, "012x456789"));
    map[4] = 'y';
    cache_flush();
    CHECK(munmap_ea(map, 10) == 0);
    CHECK(pread(fd, back, 10, 0) == 10 && !strcmp(back, "012xy56789"));

    __ea char *own = mmap_ea(NULL, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(own != MAP_FAILED_EA && own[4999] == 0);
    own[4999] = 7;
    cache_flush();
    own = mremap_ea(own, 5000, 50000, MREMAP_MAYMOVE);
    CHECK(own != MAP_FAILED_EA && own[4999] == 7 && own[49999] == 0);
    CHECK(mmap_ea(NULL, 10, PROT_READ, MAP_SHARED, 99, 0) == MAP_FAILED_EA && errno == EBADF);
    CHECK(mmap_ea(NULL, 10, PROT_READ, 0, fd, 0) == MAP_FAILED_EA && errno == EINVAL);
    CHECK(mmap_eaddr(0, 0x7fff0000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED_EADDR);

    /* The flags of shm_open are the host's: O_CREAT 64, O_RDWR 2. */
    shm_unlink("/spu-sim-services-test");
    int shared = shm_open("/spu-sim-services-test", 64 | 2, 0600);
    CHECK(shared > 2 && ftruncate(shared, 4096) == 0);
    __ea char *memory = mmap_ea(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    CHECK(memory != MAP_FAILED_EA);
    memory[100] = 'z';
    cache_flush();
    CHECK(munmap_ea(memory, 4096) == 0);
    CHECK(pread(shared, back, 1, 100) == 1 && back[0] == 'z');
    CHECK(shm_unlink("/spu-sim-services-test") == 0);
    CHECK(shm_unlink("/spu-sim-services-test") == -1 && errno == ENOENT);
    return 0;
}"#;
    check("mapping", source, &["-mea32"]);
}

#[test]
fn system_calls_move_memory_of_the_ppe() {
    let source = r#"
#include <ea.h>
#include <sys/linux_syscalls.h>
static long long call(unsigned number, unsigned long long a, unsigned long long b) {
    struct spu_syscall_block block = { number, { a, b, 0, 0, 0, 0 } };
    __linux_syscall(&block);
    return block.nr_ret;
}
int main(void) {
    __ea char *buffer = malloc_ea(100);
    int fd = open("f", O_CREAT | O_RDWR, 0600);
    strcpy_ea(buffer, (__ea char *)"effective");
    CHECK(write_ea(fd, buffer, 9) == 9);
    CHECK(pwrite_ea(fd, buffer, 3, 20) == 3);
    memset_ea(buffer, 0, 100);
    CHECK(lseek(fd, 0, SEEK_SET) == 0 && read_ea(fd, buffer, 5) == 5 && buffer[4] == 'c' && buffer[5] == 0);
    CHECK(pread_ea(fd, buffer, 100, 20) == 3 && buffer[2] == 'f');
    CHECK(read_ea(99, buffer, 1) == -1 && errno == EBADF);
    CHECK(read_ea(fd, (__ea char *)16, 1) == -1 && errno == EFAULT);
    CHECK(linux_getpid() > 1 && call(__NR_gettid, 0, 0) > 1);
    long long uid = call(__NR_getuid, 0, 0);
    CHECK(uid >= 0 && call(__NR_geteuid, 0, 0) >= 0 && call(__NR_getgid, 0, 0) >= 0);
    CHECK(call(__NR_time, 0, 0) > 1500000000);
    CHECK(call(__NR_close, fd, 0) == 0 && call(__NR_close, fd, 0) == -EBADF);
    CHECK(call(__NR_alarm, 0, 0) == -ENOSYS);
    return 0;
}"#;
    check("system", source, &["-mea32"]);
}
