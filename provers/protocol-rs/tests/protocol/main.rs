//! The protocol as a harness sees it: the toy runner as a process, driven through its pipes.

// A test that unwraps fails with the place that failed, which is what a test is for; clippy knows
// this of test functions, not of what they share.
#![allow(clippy::unwrap_used)]

mod classifying;
mod describing;
mod malformed;
mod measuring;
mod process;
mod surviving;
mod verifying;
