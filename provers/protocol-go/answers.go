package protocol

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// requests are those of one process, each answered before the next is read: what every verb that
// reads requests has in common.
type requests struct {
	systems      []System
	descriptions []*SystemDescription // in the order of the systems
	ids          map[string]bool
	noneFailed   bool
	input        *bufio.Reader
	output       *output
}

func newRequests(systems []System, input io.Reader, output *output) *requests {
	return &requests{
		systems:      systems,
		descriptions: descriptionsOf(systems),
		ids:          map[string]bool{},
		noneFailed:   true,
		input:        bufio.NewReader(input),
		output:       output,
	}
}

func descriptionsOf(systems []System) []*SystemDescription {
	descriptions := make([]*SystemDescription, len(systems))
	for i, system := range systems {
		descriptions[i] = system.Description()
	}
	return descriptions
}

// answerAll answers every request: `carryOut` writes its records, the last one too, unless it fails;
// then the last one is the error. Whether none of them failed.
func (requests *requests) answerAll(carryOut func(envelope *envelope, line []byte) error) (bool, error) {
	for requests.output.err == nil {
		line, err := nextLine(requests.input)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			return false, fmt.Errorf("read a request: %w", err)
		}
		id, envelope, failure := openEnvelope(line, err, requests.ids)
		if failure == nil {
			if err := caught(func() error { return carryOut(envelope, line) }); err != nil {
				failure = failureOf(err)
			}
		}
		if failure != nil {
			requests.noneFailed = false
			requests.output.push(newErrorRecord(id, failure))
		}
		requests.output.flush()
	}
	return requests.noneFailed, requests.output.err
}

// openEnvelope reads a line as far as its id, which must not have been used before. The id is empty
// where it could not be read.
func openEnvelope(line []byte, tooLong error, ids map[string]bool) (id string, envelope *envelope, failure *Failure) {
	if tooLong != nil {
		return "", nil, InvalidRequest("", tooLong.Error())
	}
	envelope, failure = readEnvelope(line)
	if failure != nil {
		return "", nil, failure
	}
	if ids[envelope.id] {
		return envelope.id, nil, InvalidRequest("id", fmt.Sprintf(
			"id is %s, which an earlier request of this process had", quoted(envelope.id)))
	}
	ids[envelope.id] = true
	return envelope.id, envelope, nil
}

// errPanic marks a panic that was caught.
var errPanic = errors.New("panic")

// caught makes a panic of `action` an error. Its stack goes to the log.
func caught(action func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintf(os.Stderr, "caught panic: %v\n%s", reason, debug.Stack())
			err = fmt.Errorf("%w: %v", errPanic, reason)
		}
	}()
	return action()
}
