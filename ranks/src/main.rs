//! `pmatrix-rank SOCKET`: one of the processes that hold the matrices of a session together, on StarPU and MPI.
//!
//! A session starts them with mpirun. The first rank connects to the session's socket. What the session asks there, all
//! ranks get, and all of them do the same (`rank.rs`): they lower each trace alike and insert its block operations in
//! the same order. The owner of a result executes the operation, and StarPU sends it the shards that it reads.

#[cfg(starpu)]
mod insert;
#[cfg(starpu)]
mod rank;
#[cfg(starpu)]
mod record;
#[cfg(starpu)]
mod shards;
#[cfg(starpu)]
mod shim;

#[cfg(starpu)]
fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(socket), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: pmatrix-rank SOCKET (a session starts it)");
        return 2.into();
    };
    match rank::run(socket.as_ref()) {
        Ok(()) => 0.into(),
        Err(what) => {
            eprintln!("pmatrix-rank: {what}");
            1.into()
        }
    }
}

#[cfg(not(starpu))]
fn main() -> std::process::ExitCode {
    eprintln!(
        "pmatrix-rank: it was built without StarPU; `scripts/setup ranks` installs StarPU, then build it again: \
         cargo build --release -p pmatrix-rank"
    );
    1.into()
}
