//! The Matrix Execution Unit in C, and its safe face for the host.
