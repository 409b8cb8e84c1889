//! Compiles the shim where pkg-config finds StarPU and its MPI layer. Everything else builds without.

/// StarPU and its MPI layer, and the MPI that the layer is made for.
const LIBRARIES: [&str; 2] = ["starpumpi-1.3", "starpu-1.3"];
const MPIS: [&str; 2] = ["ompi-c", "mpich"];

fn main() {
    println!("cargo::rerun-if-changed=shim");
    println!("cargo::rustc-check-cfg=cfg(starpu)");
    if std::env::var_os("CARGO_FEATURE_SIMULATION").is_some() {
        // The program in C that uses the library brings the shim, built for a simulated cluster.
        println!("cargo::rustc-cfg=starpu");
        return;
    }
    let probe = |name: &str| pkg_config::Config::new().cargo_metadata(true).probe(name);
    let Ok(libraries) = LIBRARIES.iter().map(|name| probe(name)).collect::<Result<Vec<_>, _>>() else {
        return;
    };
    let Some(mpi) = MPIS.iter().find_map(|name| probe(name).ok()) else { return };
    let includes = libraries.iter().chain([&mpi]).flat_map(|library| &library.include_paths);
    cc::Build::new()
        .std("gnu11")
        .opt_level(2)
        .flags(["-Wall", "-Wextra"])
        .includes(includes)
        .files(["shim/ranks.c", "shim/disk.c", "shim/control.c"])
        .compile("pmatrix_ranks");
    println!("cargo::rustc-cfg=starpu");
}
