package protocol

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"time"
)

// longestHeld is how long records of samples may be held: waking the reader disturbs the next
// sample, so it is not done after each.
const longestHeld = 100 * time.Millisecond

// heldBytes is more than the records of that time take, so that the buffer is not emptied before.
const heldBytes = 1 << 20

// output writes records, one JSON object a line. The first failure to write is kept, and nothing is
// written after it.
type output struct {
	writer  *bufio.Writer
	flushed time.Time
	err     error
}

func newOutput(writer io.Writer) *output {
	return &output{writer: bufio.NewWriterSize(writer, heldBytes), flushed: time.Now()}
}

func (output *output) push(record any) {
	if output.err != nil {
		return
	}
	line, err := marshal(record)
	if err != nil {
		output.err = fmt.Errorf("encode %T: %w", record, err)
		return
	}
	if _, err := output.writer.Write(append(line, '\n')); err != nil {
		output.err = fmt.Errorf("write %T: %w", record, err)
	}
}

func (output *output) flush() {
	if output.err != nil {
		return
	}
	if err := output.writer.Flush(); err != nil {
		output.err = fmt.Errorf("flush records: %w", err)
	}
	output.flushed = time.Now()
}

// flushIfDue flushes if that was last done longestHeld ago.
func (output *output) flushIfDue() {
	if time.Since(output.flushed) >= longestHeld {
		output.flush()
	}
}

type describeRecord struct {
	Type     string               `json:"type"`
	Protocol int                  `json:"protocol"`
	Runner   string               `json:"runner"`
	Library  Library              `json:"library"`
	Build    Build                `json:"build"`
	Systems  []*SystemDescription `json:"systems"`
}

type sampleRecord struct {
	Type     string  `json:"type"`
	ID       string  `json:"id"`
	Phase    Phase   `json:"phase"`
	Sample   uint64  `json:"sample"`
	Instance *uint64 `json:"instance"`
	Warmup   bool    `json:"warmup"`
	measurement
}

type sizeRecord struct {
	Type     string   `json:"type"`
	ID       string   `json:"id"`
	Of       SizeOf   `json:"of"`
	Encoding Encoding `json:"encoding"`
	Bytes    int64    `json:"bytes"`
	Sample   *uint64  `json:"sample"`
}

type counterRecord struct {
	Type   string  `json:"type"`
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Value  count   `json:"value"`
	Sample *uint64 `json:"sample"`
}

// count is a number that is written as a whole one where it is one.
type count float64

func (value count) MarshalJSON() ([]byte, error) {
	if float64(value) == math.Trunc(float64(value)) && math.Abs(float64(value)) < 1<<53 {
		return fmt.Appendf(nil, "%d", int64(value)), nil
	}
	return marshal(float64(value))
}

type securityRecord struct {
	Type   string       `json:"type"`
	ID     string       `json:"id"`
	Kind   SecurityKind `json:"kind"`
	Bits   float64      `json:"bits"`
	Source string       `json:"source"`
}

type checkRecord struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Check  string `json:"check"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail"`
}

type doneRecord struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	Samples   uint64    `json:"samples"`
	StoppedBy stoppedBy `json:"stopped_by"`
}

// stoppedBy is the rule that ended a loop.
type stoppedBy string

const (
	stoppedByMaximum stoppedBy = "maximum"
	stoppedBySeconds stoppedBy = "seconds"
	stoppedByNoLoop  stoppedBy = "no-loop"
)

type legalRecord struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

type verdictRecord struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason"`
}

type errorRecord struct {
	Type    string      `json:"type"`
	ID      *string     `json:"id"`
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
	Option  *string     `json:"option"`
	Rule    string      `json:"rule,omitempty"`
}

// newErrorRecord is the end of a request that failed; an empty id is one that could not be read.
func newErrorRecord(id string, failure *Failure) errorRecord {
	record := errorRecord{Type: "error", Kind: failure.Kind, Message: failure.Message, Rule: failure.Rule}
	if id != "" {
		record.ID = &id
	}
	if failure.Option != "" {
		record.Option = &failure.Option
	}
	return record
}
