//! Command line of the SPU simulator.

mod cli;

fn main() -> std::process::ExitCode {
    match cli::run() {
        Ok(status) => std::process::ExitCode::from(status),
        Err(error) => {
            eprintln!("spu-sim: {error}");
            std::process::ExitCode::from(cli::FAILURE)
        }
    }
}
