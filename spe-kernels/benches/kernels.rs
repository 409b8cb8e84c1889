//! Prints the speed of every kernel.
fn main() {}
