package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// handoverVariable names the file that a process leaves to the one that it becomes.
const handoverVariable = "NIZK_BENCH_HANDOVER"

// ThreadsHow is how this package enforces a thread count, in the words of a description.
const ThreadsHow = "GOMAXPROCS, and a CPU affinity of as many processors as threads: the one the " +
	"harness sets, or else one that the runner takes by starting itself again, since Go counts the " +
	"processors once, when it starts, and libraries size their tasks by that count"

// LimitThreads makes this process compute on exactly `threads` processors. Where it may use more, it
// executes itself again with a smaller affinity, and then this function does not return; the new
// process is given `handover`, which [Handover] returns there. More threads than processors are
// [Unsupported].
//
// Limiting GOMAXPROCS alone would leave runtime.NumCPU as it is, and a library that splits its work
// by that number would measure as something between one thread and all.
func LimitThreads(threads int, handover []byte) error {
	if err := withinProcessors(threads); err != nil {
		return err
	}
	if threads < runtime.NumCPU() {
		return restart(threads, handover)
	}
	runtime.GOMAXPROCS(threads)
	return nil
}

// withinProcessors refuses more threads than there are processors this process may use.
func withinProcessors(threads int) error {
	processors := runtime.NumCPU()
	if threads <= processors {
		return nil
	}
	return Unsupported("threads-beyond-processors", "threads", fmt.Sprintf(
		"threads is %d, supported are at most %d, as many as there are processors this process may use",
		threads, processors))
}

// keepThreads is [LimitThreads] for a process that has been started again already.
func keepThreads(threads int) error {
	if processors := runtime.NumCPU(); processors != threads {
		return fmt.Errorf("this process was started again on %d processors and sees %d", threads, processors)
	}
	runtime.GOMAXPROCS(threads)
	return nil
}

// restart executes this program again on the first `threads` of the processors it may use.
func restart(threads int, handover []byte) error {
	file, err := unix.MemfdCreate("handover", 0)
	if err != nil {
		return fmt.Errorf("create a file to hand over: %w", err)
	}
	remaining := handover
	for len(remaining) > 0 {
		written, err := unix.Write(file, remaining)
		if err != nil {
			return fmt.Errorf("write what is handed over: %w", err)
		}
		remaining = remaining[written:]
	}
	if _, err := unix.Seek(file, 0, io.SeekStart); err != nil {
		return fmt.Errorf("rewind what is handed over: %w", err)
	}

	// Affinity belongs to a thread, and execve keeps that of the thread that calls it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var allowed, chosen unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return fmt.Errorf("read the CPU affinity: %w", err)
	}
	for processor := 0; chosen.Count() < threads && processor < 64*len(allowed); processor++ {
		if allowed.IsSet(processor) {
			chosen.Set(processor)
		}
	}
	if err := unix.SchedSetaffinity(0, &chosen); err != nil {
		return fmt.Errorf("set the CPU affinity to %d processors: %w", threads, err)
	}
	environment := append(os.Environ(), handoverVariable+"="+strconv.Itoa(file))
	err = syscall.Exec("/proc/self/exe", os.Args, environment)
	return fmt.Errorf("start again on %d processors: %w", threads, err)
}

// Handover returns what the process that this one was before left to it, if there was one. What was
// handed over is gone after the first call.
func Handover() (handover []byte, found bool, err error) {
	text, found := os.LookupEnv(handoverVariable)
	if !found {
		return nil, false, nil
	}
	if err := os.Unsetenv(handoverVariable); err != nil {
		return nil, true, fmt.Errorf("forget what was handed over: %w", err)
	}
	descriptor, err := strconv.Atoi(text)
	if err != nil {
		return nil, true, fmt.Errorf("%s is %q, legal is a file descriptor", handoverVariable, text)
	}
	file := os.NewFile(uintptr(descriptor), "handover")
	defer file.Close()
	if handover, err = io.ReadAll(file); err != nil {
		return nil, true, fmt.Errorf("read what was handed over: %w", err)
	}
	return handover, true, nil
}

// runState is what a process in the middle of its requests hands over: one line, then the bytes of
// its input that are still to be answered.
type runState struct {
	AllDone bool     `json:"all_done"`
	IDs     []string `json:"ids"`
	pending []byte
}

func (state *runState) encode() ([]byte, error) {
	line, err := marshal(state)
	if err != nil {
		return nil, err
	}
	return append(append(line, '\n'), state.pending...), nil
}

func decodeRunState(handover []byte) (*runState, error) {
	line, pending, found := bytes.Cut(handover, []byte{'\n'})
	state := &runState{pending: pending}
	if err := json.Unmarshal(line, state); err != nil || !found {
		return nil, fmt.Errorf("what was handed over is not a state: %q", strings.ToValidUTF8(cut(string(line)), "?"))
	}
	return state, nil
}
