// Package protocol carries the runner protocol of nizk-bench (PROTOCOL.md) for Go: messages, loop,
// clock, peak memory, CPU time, threads, seeds and errors. A runner implements [System], [Session]
// and [Verifier] for its circuit and hands them to [Main].
package protocol
