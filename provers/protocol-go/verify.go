package protocol

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"syscall"
)

// maximumFileBytes is longer than any file of any runner; a longer one is not read.
const maximumFileBytes = 256 << 20

// judge is what lasts from one request of `verify` to the next.
type judge struct {
	*requests
	prepared *preparedKey // the last one: proofs for one key come in a row
}

// preparedKey is a verifying key ready for use, with what it was prepared from.
type preparedKey struct {
	path          string
	configuration *Configuration
	header        keyHeader
	verifier      Verifier
}

// verify answers every request; whether all of them ended in a verdict.
func verify(systems []System, input io.Reader, output *output) (bool, error) {
	judge := &judge{requests: newRequests(systems, input, output)}
	return judge.answerAll(func(envelope *envelope, _ []byte) error {
		verdict, failure := judge.answer(envelope)
		if failure != nil {
			return failure
		}
		output.push(verdictRecord{"verdict", envelope.id, verdict.Accepted, verdict.Reason})
		return nil
	})
}

func (judge *judge) answer(envelope *envelope) (Verdict, *Failure) {
	position, request, failure := envelope.verify(judge.descriptions)
	if failure != nil {
		return Verdict{}, failure
	}
	paths := map[string]string{"public_input": request.publicInput, "proof": request.proof}
	if !judge.prepared.serves(request) {
		paths["verifying_key"] = request.verifyingKey
	}
	files := map[string][]byte{}
	var unreadable error
	for _, member := range []string{"public_input", "verifying_key", "proof"} {
		path, wanted := paths[member]
		if !wanted {
			continue
		}
		content, err := readFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return Verdict{}, InvalidRequest(member, fmt.Sprintf("%s is %s, which is no file", member, quoted(path)))
		case err != nil && unreadable == nil:
			unreadable = fmt.Errorf("%s cannot be read: %w", member, err)
		}
		files[member] = content
	}
	if unreadable != nil {
		return Reject(unreadable.Error()), nil
	}
	var verdict Verdict
	err := caught(func() (err error) {
		verdict, err = judge.weigh(position, request, files)
		return err
	})
	switch {
	case errors.Is(err, errPanic):
		return Reject(fmt.Sprintf("the library panicked over the files: %v", err)), nil
	case err != nil:
		return Reject(err.Error()), nil
	}
	return verdict, nil
}

// weigh judges the content of the files; an error is a rejection.
func (judge *judge) weigh(position int, request *verifyRequest, files map[string][]byte) (Verdict, error) {
	configuration := request.configuration
	modulus, ok := decodeInteger(judge.descriptions[position].Field.Modulus)
	if !ok {
		return Verdict{}, fmt.Errorf("the runner describes no order of its field: %s", judge.descriptions[position].Field.Modulus)
	}
	publicInput, err := decodePublicInput(files["public_input"], configuration, modulus)
	if err != nil {
		return Verdict{}, err
	}
	if !judge.prepared.serves(request) {
		header, library, err := splitKeyFile(files["verifying_key"])
		if err != nil {
			return Verdict{}, err
		}
		if err := checkHeader(header, configuration, publicInput); err != nil {
			return Verdict{}, err
		}
		verifier, err := judge.systems[position].Verifier(configuration, library)
		if err != nil {
			return Verdict{}, err
		}
		judge.prepared = &preparedKey{request.verifyingKey, configuration, header, verifier}
	}
	if err := checkHeader(judge.prepared.header, configuration, publicInput); err != nil {
		return Verdict{}, err
	}
	return judge.prepared.verifier.Verify(publicInput, files["proof"]), nil
}

// serves says whether the key is the one a request asks for.
func (key *preparedKey) serves(request *verifyRequest) bool {
	return key != nil && key.path == request.verifyingKey && key.configuration.equal(request.configuration)
}

func (configuration *Configuration) equal(other *Configuration) bool {
	return configuration.System == other.System &&
		configuration.Statement == other.Statement &&
		configuration.Size == other.Size &&
		maps.Equal(configuration.variant, other.variant) &&
		maps.Equal(configuration.options, other.options)
}

func checkHeader(header keyHeader, configuration *Configuration, publicInput PublicInput) error {
	if header != newKeyHeader(configuration, publicInput) {
		return errors.New("the verifying key belongs to another system, variant, size or other fixed constants")
	}
	return nil
}

// readFile reads a file whole, unless it is longer than any file of a runner.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maximumFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maximumFileBytes {
		return nil, fmt.Errorf("it is longer than %d bytes, which nothing of this runner is", maximumFileBytes)
	}
	return content, nil
}
