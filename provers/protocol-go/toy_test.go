package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// actAsRunner makes the test binary a runner of the toy system, for tests that need a process.
const actAsRunner = "NIZK_BENCH_TEST_RUNNER"

func TestMain(m *testing.M) {
	if os.Getenv(actAsRunner) != "" {
		os.Exit(Main(Runner{Name: "toy", Library: Library{"toy", "1"}, Systems: []System{toySystem{}}}))
	}
	os.Exit(m.Run())
}

// toySystem proves nothing: its proof is the image or the digest itself, so that what is tested is the
// protocol.
// Its option `fault` says what goes wrong.
type toySystem struct{}

var toyField = Field{new(big.Int).SetUint64(0xffffffff00000001)}

func (toySystem) Description() *SystemDescription {
	return &SystemDescription{
		System: "toy/echo/f64",
		Scheme: "echo",
		Field:  toyField.Description("f64"),
		Properties: Properties{
			TrustedSetup:  TrustedSetupNone,
			Transparent:   true,
			ZeroKnowledge: ZeroKnowledge{ZeroKnowledgeNo, "a test"},
			Assumptions:   "none",

			BatchVerification: BatchVerification{Source: "a toy has no batches"},
		},
		Phases:       []TimedPhase{{Compile, []Phase{}}, {Prove, []Phase{Witness}}, {Verify, []Phase{}}},
		AbsentPhases: []AbsentPhase{{Setup, "there are no keys"}},
		Threads:      Threads{Minimum: 1, How: ThreadsHow},
		ProofSize:    ProofSizeConstant,
		Statements: []StatementDescription{{
			Statement: MimcStatement,
			Size:      SizeRange{MimcSize, MimcMinimumRounds, MimcMaximumRounds, SizeAny},
			Variants:  []VariantDescription{{"constants", []string{"fixed", "public"}, "fixed"}},
			Unsound:   []Unsound{},
		}, {
			Statement: HashStatement,
			Size:      SizeRange{HashSize, HashMinimumBytes, HashMaximumBytes, SizeAny},
			Variants:  []VariantDescription{{HashVariantFunction, []string{SHA256}, SHA256}},
			Unsound:   []Unsound{},
		}},
		Options: []OptionDescription{
			IntegerOption{Name: "queries", Minimum: 1, Maximum: 255, Default: 42, Help: "a number"},
			IntegerOption{Name: "blowup", Minimum: 2, Maximum: 16, Values: []uint64{2, 4, 8, 16}, Default: 8, Help: "some numbers"},
			ChoiceOption{"fault", []string{"none", "panic", "reject", "unsupported", "slow"}, "none", "what goes wrong"},
		},
		Malleable: []Malleable{},
	}
}

func (toySystem) Legal(configuration *Configuration) error {
	if configuration.OptionChoice("fault") == "unsupported" {
		return Unsupported("fault-of-the-toy", "fault", "fault is unsupported, which is not supported")
	}
	return nil
}

func (toySystem) Open(configuration *Configuration, seed Seed) (Session, error) {
	session := &toySession{fault: configuration.OptionChoice("fault")}
	if configuration.Statement == HashStatement {
		session.instance = func(index uint64) PublicInput {
			return &HashPublicInput{sha256.Sum256(HashMessage(seed, index, configuration.Size))}
		}
		return session, nil
	}
	constants := toyField.MimcConstants(seed, configuration.Size)
	session.instance = func(index uint64) PublicInput {
		left, right := toyField.MimcPreimage(seed, index)
		return &MimcPublicInput{Image: toyField.MimcImage(constants, left, right), Constants: constants}
	}
	return session, nil
}

func (toySystem) Verifier(_ *Configuration, verifyingKey []byte) (Verifier, error) {
	if string(verifyingKey) != "key" {
		return nil, errors.New("the key is not the word key")
	}
	return toyVerifier{}, nil
}

type toySession struct {
	fault       string
	instance    func(index uint64) PublicInput
	publicInput PublicInput
	proof       []byte
	proofs      uint64
}

func (session *toySession) Compile() error { return nil }

func (session *toySession) LoadInstance(index uint64) error {
	session.proof = nil
	session.publicInput = session.instance(index)
	return nil
}

func (session *toySession) Prove() error {
	switch session.fault {
	case "panic":
		panic("the toy is broken")
	case "slow":
		time.Sleep(10 * time.Millisecond)
	}
	session.proof = toyProof(session.publicInput)
	session.proofs++
	return nil
}

func (session *toySession) Verify() (Verdict, error) {
	if session.fault == "reject" {
		return Reject("the toy rejects"), nil
	}
	return toyVerifier{}.Verify(session.PublicInput(), session.proof), nil
}

func (session *toySession) Proof() []byte                 { return session.proof }
func (session *toySession) VerifyingKey() ([]byte, error) { return []byte("key"), nil }
func (session *toySession) PublicInput() PublicInput      { return session.publicInput }
func (session *toySession) Sizes() ([]Size, error) {
	return []Size{{SizeOfProof, Native, int64(len(session.proof))}}, nil
}
func (session *toySession) Counters() []Counter { return []Counter{{"half", 0.5}} }
func (session *toySession) SampleSizes() []Size { return nil }
func (session *toySession) SampleCounters() []Counter {
	return []Counter{{"proofs", float64(session.proofs)}}
}

type toyVerifier struct{}

func toyProof(publicInput PublicInput) []byte {
	if hash, ok := publicInput.(*HashPublicInput); ok {
		return hash.Digest[:]
	}
	return publicInput.(*MimcPublicInput).Image.FillBytes(make([]byte, 32))
}

func (toyVerifier) Verify(publicInput PublicInput, proof []byte) Verdict {
	switch {
	case string(proof) == "panic":
		panic("the toy cannot read")
	case !bytes.Equal(proof, toyProof(publicInput)):
		return Reject("the proof is not the image or digest")
	}
	return Accept()
}

// record is any record, as a reader of the protocol sees it.
type record map[string]any

// toyRequest is a legal request with some members changed; a change to nil takes the member out.
func toyRequest(changes map[string]any) map[string]any {
	request := map[string]any{
		"type": "run", "id": "a", "system": "toy/echo/f64", "statement": "mimc-preimage",
		"size": map[string]any{"rounds": 7}, "threads": runtime.NumCPU(),
		"seed": strings.Repeat("0", 64), "instances": "fresh",
		"stop":   map[string]any{"warmup": 1, "minimum": 2, "maximum": 3, "seconds": 100},
		"phases": []string{"compile", "prove", "verify"},
	}
	for name, value := range changes {
		if value == nil {
			delete(request, name)
		} else {
			request[name] = value
		}
	}
	return request
}

// toyHash turns a request to run into one for a hash.
func toyHash(changes map[string]any) map[string]any {
	return toyRequest(with(map[string]any{
		"statement": "hash-preimage", "size": map[string]any{"bytes": 100},
	}, changes))
}

func line(t *testing.T, request map[string]any) string {
	t.Helper()
	encoded, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded) + "\n"
}

// answers lets `run` or `verify` answer the input in this process.
func answers(
	t *testing.T, command func([]System, *bytes.Reader, *output) (bool, error), input string,
) (records []record, allWell bool) {
	t.Helper()
	var written bytes.Buffer
	allWell, err := command([]System{toySystem{}}, bytes.NewReader([]byte(input)), newOutput(&written))
	if err != nil {
		t.Fatal(err)
	}
	return parseRecords(t, written.Bytes()), allWell
}

func runInProcess(systems []System, input *bytes.Reader, output *output) (bool, error) {
	return run(systems, input, output)
}

func classifyInProcess(systems []System, input *bytes.Reader, output *output) (bool, error) {
	return classify(systems, input, output)
}

func verifyInProcess(systems []System, input *bytes.Reader, output *output) (bool, error) {
	return verify(systems, input, output)
}

func parseRecords(t *testing.T, written []byte) []record {
	t.Helper()
	var records []record
	for text := range bytes.Lines(written) {
		var parsed record
		if err := json.Unmarshal(text, &parsed); err != nil {
			t.Fatalf("%q is not JSON: %v", text, err)
		}
		records = append(records, parsed)
	}
	return records
}

// process runs the toy runner as a process of its own.
func startToy(t *testing.T, input string, arguments ...string) (records []record, status int) {
	t.Helper()
	command := exec.Command(os.Args[0], arguments...)
	command.Env = append(os.Environ(), actAsRunner+"=1")
	command.Stdin = strings.NewReader(input)
	command.Stderr = os.Stderr
	written, err := command.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return parseRecords(t, written), command.ProcessState.ExitCode()
}

func ofType(records []record, kind string) []record {
	var found []record
	for _, record := range records {
		if record["type"] == kind {
			found = append(found, record)
		}
	}
	return found
}

func samplesOf(records []record, phase Phase) []record {
	var found []record
	for _, record := range ofType(records, "sample") {
		if record["phase"] == string(phase) {
			found = append(found, record)
		}
	}
	return found
}

func mustBe[T comparable](t *testing.T, what string, found, expected T) {
	t.Helper()
	if found != expected {
		t.Errorf("%s is %v, expected %v", what, found, expected)
	}
}

func column(records []record, name string) string {
	values := make([]string, len(records))
	for i, record := range records {
		values[i] = fmt.Sprint(record[name])
	}
	return strings.Join(values, " ")
}
