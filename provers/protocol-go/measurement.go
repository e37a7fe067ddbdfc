package protocol

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// measurement is what one execution of a phase took.
type measurement struct {
	WallNS   int64 `json:"wall_ns"`
	UserNS   int64 `json:"user_ns"`
	SystemNS int64 `json:"system_ns"`
	// nil where the peak cannot be reset: the peak of a whole process is not that of a phase
	PeakRSSBytes *int64 `json:"peak_rss_bytes"`
}

// meter takes measurements of this process.
type meter struct {
	peak *peakMemory // nil where the kernel keeps no mark that can be reset
}

func newMeter() *meter {
	return &meter{openPeakMemory()}
}

// measure runs a region and measures it. Nothing stands between the clock's two readings but the
// region.
//
// The garbage of what came before is collected first, as package testing does before a benchmark:
// dropping the results of an earlier sample means no less where memory is collected. What the
// collector does inside the region belongs to the region.
func (meter *meter) measure(region func() error) (measurement, error) {
	runtime.GC()
	resettable := meter.peak != nil && meter.peak.reset()
	userBefore, systemBefore := cpuTime()
	start := time.Now()
	err := region()
	wall := time.Since(start)
	userAfter, systemAfter := cpuTime()
	taken := measurement{
		// A clock too coarse to see the region cannot say that it took no time.
		WallNS:   max(wall.Nanoseconds(), 1),
		UserNS:   max(userAfter-userBefore, 0),
		SystemNS: max(systemAfter-systemBefore, 0),
	}
	if resettable {
		if peak, ok := meter.peak.read(); ok {
			taken.PeakRSSBytes = &peak
		}
	}
	return taken, err
}

// cpuTime is the user and system time of all threads of this process in nanoseconds; the kernel
// gives microseconds.
func cpuTime() (user, system int64) {
	var usage unix.Rusage
	// getrusage fails for a wrong first argument or a wrong address alone (getrusage(2)).
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, 0
	}
	return usage.Utime.Nano(), usage.Stime.Nano()
}

// peakMemory is the kernel's high-water mark of resident memory (proc(5): VmHWM, reset by
// clear_refs).
type peakMemory struct {
	clearRefs, status *os.File
}

// openPeakMemory returns nil where the kernel keeps no such mark or does not let it be reset.
func openPeakMemory() *peakMemory {
	clearRefs, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	status, err := os.Open("/proc/self/status")
	if err != nil {
		clearRefs.Close()
		return nil
	}
	peak := &peakMemory{clearRefs, status}
	if !peak.fallsWhenReset() {
		clearRefs.Close()
		status.Close()
		return nil
	}
	return peak
}

// fallsWhenReset finds out whether the mark follows a reset: sandboxes exist that take the write and
// keep the mark. The memory of the trial is mapped directly, so that it is really given back.
func (peak *peakMemory) fallsWhenReset() bool {
	const probe = 16 << 20
	memory, err := unix.Mmap(-1, 0, probe, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return false
	}
	for i := range memory {
		memory[i] = 1
	}
	if err := unix.Munmap(memory); err != nil {
		return false
	}
	before, readBefore := peak.read()
	reset := peak.reset()
	after, readAfter := peak.read()
	return readBefore && reset && readAfter && after+probe/2 < before
}

func (peak *peakMemory) reset() bool {
	_, err := peak.clearRefs.WriteAt([]byte{'5'}, 0)
	return err == nil
}

func (peak *peakMemory) read() (resident int64, ok bool) {
	var buffer [4096]byte
	length, _ := peak.status.ReadAt(buffer[:], 0) // the file is shorter, so io.EOF is what is expected
	_, line, found := bytes.Cut(buffer[:length], []byte("VmHWM:"))
	if !found {
		return 0, false
	}
	digits, _, found := bytes.Cut(line, []byte("kB"))
	if !found {
		return 0, false
	}
	kibibytes, err := strconv.ParseInt(string(bytes.TrimSpace(digits)), 10, 64)
	return kibibytes * 1024, err == nil
}
