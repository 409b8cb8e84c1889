//! `pmatrix-rank SOCKET [BYTES]`: one of the processes that hold the matrices of a session together.

#[cfg(all(starpu, not(feature = "simulation")))]
fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (socket, limit) = (arguments.next(), arguments.next());
    let bytes = limit.as_ref().map(|bytes| bytes.to_str().and_then(|bytes| bytes.parse().ok()));
    let (Some(socket), None | Some(Some(_)), None) = (socket, bytes, arguments.next()) else {
        eprintln!("usage: pmatrix-rank SOCKET [BYTES] (a session starts it)");
        return 2.into();
    };
    match pmatrix_rank::run(socket.as_ref(), bytes.flatten()) {
        Ok(()) => 0.into(),
        Err(what) => {
            eprintln!("pmatrix-rank: {what}");
            1.into()
        }
    }
}

#[cfg(not(all(starpu, not(feature = "simulation"))))]
fn main() -> std::process::ExitCode {
    eprintln!(
        "pmatrix-rank: it was built without StarPU; `scripts/setup ranks` installs StarPU, then build it again: \
         cargo build --release -p pmatrix-rank"
    );
    1.into()
}
