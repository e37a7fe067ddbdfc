package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	gnarkio "github.com/consensys/gnark/io"
)

// object is a proof or a key: all of gnark's are serialised in two ways.
type object interface {
	io.WriterTo         // points compressed
	gnarkio.WriterRawTo // points uncompressed
	io.ReaderFrom       // either; points are checked to be on the curve and in the subgroup
}

// layout is what the serialisation of an object looks like before anything in it is believed: gnark
// allocates as much as the lengths of lists in it ask for.
type layout struct {
	bytes int
	fixed []span
}

// span is bytes that are the same in every serialisation.
type span struct {
	offset int
	bytes  []byte
}

// listLength is how a serialisation begins a list.
func listLength(items int) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(items))
}

// serialise returns the compressed serialisation of an object.
func serialise(object io.WriterTo) ([]byte, error) {
	var buffer bytes.Buffer
	if _, err := object.WriteTo(&buffer); err != nil {
		return nil, fmt.Errorf("serialise %T: %w", object, err)
	}
	return buffer.Bytes(), nil
}

// deserialise reads a compressed object that is not to be trusted. Of all serialisations that gnark
// can read as one object it takes the one that gnark writes, so that no bit of it can be changed and
// leave it the same.
func deserialise(object object, serialised []byte, layout layout) error {
	if len(serialised) != layout.bytes {
		return fmt.Errorf("it has %d bytes, legal are %d", len(serialised), layout.bytes)
	}
	for _, span := range layout.fixed {
		if found := serialised[span.offset:][:len(span.bytes)]; !bytes.Equal(found, span.bytes) {
			return fmt.Errorf("its bytes from %d on are %x, legal are %x", span.offset, found, span.bytes)
		}
	}
	read, err := object.ReadFrom(bytes.NewReader(serialised))
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	if read != int64(len(serialised)) {
		return fmt.Errorf("it ends after %d of %d bytes", read, len(serialised))
	}
	again, err := serialise(object)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, serialised) {
		return fmt.Errorf("it is not in canonical form")
	}
	return nil
}

// zeroBytes is the serialisation of an object that nothing has been put into: its lists are empty.
func zeroBytes(object object) []byte {
	serialised, err := serialise(object)
	if err != nil {
		panic(err) // a buffer takes every write, so gnark itself would be at fault
	}
	return serialised
}

// bytesWritten counts what `write` writes.
func bytesWritten(write func(io.Writer) (int64, error)) (int64, error) {
	written, err := write(io.Discard)
	if err != nil {
		return 0, fmt.Errorf("measure a serialisation: %w", err)
	}
	return written, nil
}
