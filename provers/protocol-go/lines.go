package protocol

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maximumLineBytes is the length of the longest line that is read, its end not counted.
const maximumLineBytes = 4 << 20

// errLineTooLong is the fate of a longer line: it is passed over, never held.
var errLineTooLong = errors.New("the line is longer than 4194304 bytes, which is the most that is legal")

// nextLine reads a line without its end. A last line without an end is a line; after it comes io.EOF.
func nextLine(input *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := input.ReadSlice('\n')
		ended := err == nil
		if len(part) == 0 && err == io.EOF && line == nil && !tooLong {
			return nil, io.EOF
		}
		part = bytes.TrimSuffix(part, []byte{'\n'})
		tooLong = tooLong || len(line)+len(part) > maximumLineBytes
		if tooLong {
			line = nil
		} else {
			line = append(line, part...)
			if line == nil {
				line = []byte{}
			}
		}
		switch {
		case ended || err == io.EOF:
			if tooLong {
				return nil, errLineTooLong
			}
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
		default:
			return nil, err
		}
	}
}
