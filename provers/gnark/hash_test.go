package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/constraint"
	cs "github.com/consensys/gnark/constraint/bn254"
	"github.com/consensys/gnark/constraint/solver"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/rangecheck"

	"nizk-bench/provers/protocol-go"
)

// The circuit of a hash looks bytes up in tables of 65 536 rows, so that no key of one is made in
// less than many seconds. What proofs and keys look like follows from the shape of the circuit alone,
// and is tested with a small one of the same shape.

// lookup is a statement of the shape of a hash: a secret byte, whose square and successor are the
// halves of a "digest".
type lookup struct{ *hash }

func newLookup(system *system) statement { return &lookup{&hash{curve: system.curve}} }

func (lookup *lookup) instances(protocol.Seed) instances { return lookup }
func (lookup *lookup) source() frontend.Circuit          { return &lookupCircuit{} }

func (lookup *lookup) derive(index uint64) (frontend.Circuit, protocol.PublicInput) {
	secret := byte(index % 15)
	publicInput := &protocol.HashPublicInput{}
	publicInput.Digest[15], publicInput.Digest[31] = secret*secret, secret+1
	element := func(value byte) frontend.Variable { return lookup.curve.element(big.NewInt(int64(value))) }
	return &lookupCircuit{
		Digest: [2]frontend.Variable{element(secret * secret), element(secret + 1)},
		Secret: element(secret),
	}, publicInput
}

type lookupCircuit struct {
	Digest [2]frontend.Variable `gnark:",public"`
	Secret frontend.Variable
}

func (circuit *lookupCircuit) Define(api frontend.API) error {
	rangecheck.New(api).Check(circuit.Secret, 8)
	api.AssertIsEqual(circuit.Digest[0], api.Mul(circuit.Secret, circuit.Secret))
	api.AssertIsEqual(circuit.Digest[1], api.Add(circuit.Secret, 1))
	return nil
}

func provenLookup(t testing.TB, some protocol.System) *session {
	t.Helper()
	system := some.(*system)
	session := newSession(system, newLookup(system), protocol.Seed{})
	prepare(t, session)
	prove(t, session)
	return session
}

func TestSizesWithALookupAreTheCommittedOnes(t *testing.T) {
	committed := map[string]string{
		"gnark/groth16/bls12-381": "proof 292 580, verifying_key 832 1648, public_input 76, witness 108",
		"gnark/groth16/bn254":     "proof 196 388, verifying_key 560 1104, public_input 76, witness 108",
		"gnark/plonk/bls12-381":   "proof 744 1224, verifying_key 49200 49872, public_input 76, witness 108",
		"gnark/plonk/bn254":       "proof 584 904, verifying_key 34384 34832, public_input 76, witness 108",
	}
	for _, system := range systems() {
		name := system.Description().System
		if text := sizesOf(t, provenLookup(t, system)); text != committed[name] {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// hashConfiguration is one of `hash-preimage`.
func hashConfiguration(t testing.TB, system protocol.System, bytes int, function string) *protocol.Configuration {
	t.Helper()
	variant := map[string]string{protocol.HashVariantFunction: function}
	configuration, err := protocol.ConfigurationFromTexts(system.Description(), protocol.HashStatement, bytes, 1, variant)
	if err != nil {
		t.Fatal(err)
	}
	return configuration
}

// openedHash is a session for a hash without keys: compiled, with instance 0 loaded.
func openedHash(t testing.TB, system protocol.System, bytes int, function string) *session {
	t.Helper()
	begun, err := system.Open(hashConfiguration(t, system, bytes, function), protocol.Seed{})
	if err != nil {
		t.Fatal(err)
	}
	session := begun.(*session)
	for _, step := range []func() error{session.Compile, func() error { return session.LoadInstance(0) }} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return session
}

// TestDigestsAreThePublishedOnes would see Keccak's padding in the place of that of FIPS 202.
// The vectors: FIPS 180-4 and FIPS 202, examples of NIST's Cryptographic Standards and Guidelines
// for messages of 0 and of 24 bits.
func TestDigestsAreThePublishedOnes(t *testing.T) {
	published := map[[2]string]string{
		{protocol.SHA256, ""}:    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		{protocol.SHA256, "abc"}: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		{protocol.SHA3, ""}:      "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
		{protocol.SHA3, "abc"}:   "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
	}
	for _, function := range hashFunctions {
		for _, message := range []string{"", "abc"} {
			digest := function.digest([]byte(message))
			if found := hex.EncodeToString(digest[:]); found != published[[2]string{function.name, message}] {
				t.Errorf("%s of %q is %s", function.name, message, found)
			}
		}
		// The circuit takes a message of three bytes only with the digest that was published.
		session := openedHash(t, &system{groth16Scheme, curves[1]}, 3, function.name)
		for message, agrees := range map[string]bool{"abc": true, "abd": false} {
			assignment := &hashCircuit{}
			for _, value := range []byte(message) {
				assignment.Message = append(assignment.Message, value)
			}
			digest, err := hex.DecodeString(published[[2]string{function.name, "abc"}])
			if err != nil {
				t.Fatal(err)
			}
			assignment.Digest[0] = new(big.Int).SetBytes(digest[:16])
			assignment.Digest[1] = new(big.Int).SetBytes(digest[16:])
			if solved := solves(t, session, assignment) == nil; solved != agrees {
				t.Errorf("the circuit of %s takes %q for abc: %t", function.name, message, solved)
			}
		}
	}
}

func TestHashSessionsMeetTheKnownAnswers(t *testing.T) {
	text, err := os.ReadFile("../../data/vectors/hash-preimage.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Answers []struct {
			Function, Seed, Digest string
			Bytes                  int
			Instance               uint64
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, system := range systems() {
		met := map[string]int{}
		for _, answer := range vectors.Answers {
			if !slices.ContainsFunc(hashFunctions, func(function *hashFunction) bool { return function.name == answer.Function }) {
				continue
			}
			configuration := hashConfiguration(t, system, answer.Bytes, answer.Function)
			seed, _ := protocol.ParseSeed(answer.Seed)
			session, err := system.Open(configuration, seed)
			if err != nil {
				t.Fatal(err)
			}
			if err := session.LoadInstance(answer.Instance); err != nil {
				t.Fatal(err)
			}
			if digest := session.PublicInput().(*protocol.HashPublicInput).Digest; hex.EncodeToString(digest[:]) != answer.Digest {
				t.Errorf("%s of %d bytes: %x, known is %s", answer.Function, answer.Bytes, digest, answer.Digest)
			}
			met[answer.Function]++
		}
		if len(met) != len(hashFunctions) {
			t.Errorf("there are known answers for %v alone", met)
		}
	}
}

// hashCounts are constraints, variables and domain of the circuits for a hash, and for Groth16 the
// terms.
var hashCounts = map[string]map[int][]float64{
	"groth16/" + protocol.SHA256: {
		32:  {165892, 305433, 262144, 819335},
		64:  {200569, 348366, 262144, 983011},
		256: {306385, 479214, 524288, 1482283},
	},
	"groth16/" + protocol.SHA3: {
		32:  {237600, 396359, 262144, 1175732},
		64:  {237664, 396455, 262144, 1176020},
		256: {343993, 530376, 524288, 1696004},
	},
	"plonk/" + protocol.SHA256: {
		32:  {497312, 490091, 524288},
		64:  {601601, 587104, 1048576},
		256: {919253, 882676, 1048576},
	},
	"plonk/" + protocol.SHA3: {
		32:  {741735, 711836, 1048576},
		64:  {741927, 712028, 1048576},
		256: {1090868, 1031073, 2097152},
	},
}

// TestConstraintCountsOfHashesAreTheCommittedOnes fails when a version of gnark or a change of the
// circuit moves what is measured. The curve moves nothing: one length is compiled over both.
func TestConstraintCountsOfHashesAreTheCommittedOnes(t *testing.T) {
	for _, scheme := range schemes {
		for _, function := range hashFunctions {
			for bytes, committed := range hashCounts[scheme.name+"/"+function.name] {
				for _, curve := range curves {
					if curve.id != ecc.BN254 && bytes != 32 {
						continue
					}
					system := &system{scheme, curve}
					session := openedHash(t, system, bytes, function.name)
					var found []float64
					for _, counter := range session.Counters() {
						found = append(found, counter.Value)
					}
					if !slices.Equal(found, committed) {
						t.Errorf("%s, %s of %d bytes has %v, committed are %v",
							system.Description().System, function.name, bytes, found, committed)
					}
					mustHaveTheShape(t, session, &hash{curve: curve})
				}
			}
		}
	}
}

// mustHaveTheShape compares a circuit with what its serialisations are expected to look like.
func mustHaveTheShape(t *testing.T, session *session, statement statement) {
	t.Helper()
	expected := statement.shape()
	ones := 0
	switch commitments := session.compiled.GetCommitments().(type) {
	case constraint.Groth16Commitments:
		ones = 1 // the constant one is a public variable of an R1CS
		if len(commitments) != expected.commitments {
			t.Errorf("the circuit has %d commitments, expected %d", len(commitments), expected.commitments)
		}
		for _, commitment := range commitments {
			if len(commitment.PublicAndCommitmentCommitted) > 0 {
				t.Error("a commitment contains public elements")
			}
		}
	case constraint.PlonkCommitments:
		if len(commitments) != expected.commitments {
			t.Errorf("the circuit has %d commitments, expected %d", len(commitments), expected.commitments)
		}
	default:
		t.Fatalf("commitments are a %T", commitments)
	}
	if public := session.compiled.GetNbPublicVariables() - ones; public != expected.publicElements {
		t.Errorf("the circuit has %d public elements, expected %d", public, expected.publicElements)
	}
}

// TestLongestMessagesFitTheLargestDomain goes on in a straight line from the committed counts, which
// a block more makes longer by the same each time.
func TestLongestMessagesFitTheLargestDomain(t *testing.T) {
	for _, padding := range []struct {
		function          string
		block, atLeastPad int
	}{{protocol.SHA256, 64, 9}, {protocol.SHA3, 136, 1}} {
		for _, scheme := range schemes {
			blocks := func(bytes int) float64 {
				return float64((bytes + padding.atLeastPad + padding.block - 1) / padding.block)
			}
			counts := hashCounts[scheme.name+"/"+padding.function]
			slope := (counts[256][0] - counts[64][0]) / (blocks(256) - blocks(64))
			constraints := func(bytes int) float64 { return counts[64][0] + slope*(blocks(bytes)-blocks(64)) }
			maximum := 0
			for _, function := range hashFunctions {
				if function.name == padding.function {
					maximum = function.maximumBytes[scheme]
				}
			}
			if constraints(maximum) > maximumHashDomain {
				t.Errorf("%s: %d bytes of %s need about %.0f", scheme.name, maximum, padding.function, constraints(maximum))
			}
			if maximum < protocol.HashMaximumBytes && constraints(maximum+1) <= maximumHashDomain {
				t.Errorf("%s: a byte more than %d of %s needs only about %.0f", scheme.name, maximum, padding.function, constraints(maximum+1))
			}
		}
	}
}

func TestMessagesThatAreTooLongBreakARuleWithAName(t *testing.T) {
	for _, some := range systems() {
		system := some.(*system)
		for _, function := range hashFunctions {
			maximum := function.maximumBytes[system.scheme]
			if err := system.Legal(hashConfiguration(t, system, maximum, function.name)); err != nil {
				t.Errorf("%d bytes are refused: %v", maximum, err)
			}
			if maximum == protocol.HashMaximumBytes {
				continue
			}
			var failure *protocol.Failure
			err := system.Legal(hashConfiguration(t, system, maximum+1, function.name))
			if !errors.As(err, &failure) || failure.Kind != protocol.KindUnsupported || failure.Rule != ruleOfHashDomain || failure.Option != "size.bytes" {
				t.Errorf("%d bytes are answered by %+v", maximum+1, err)
			}
		}
	}
}

// solves asks the solver, which computes every wire and checks every constraint, whether an
// assignment satisfies the circuit of a session.
func solves(t testing.TB, session *session, assignment frontend.Circuit, options ...solver.Option) error {
	t.Helper()
	full, err := frontend.NewWitness(assignment, session.system.curve.id.ScalarField())
	if err != nil {
		return err
	}
	return session.compiled.IsSolved(full, options...)
}

// TestHashCircuitHoldsForNothingButTheMessage tries what is not true with messages that fill more
// than one block, whose bytes are therefore met in each of the ways that a gadget meets one.
func TestHashCircuitHoldsForNothingButTheMessage(t *testing.T) {
	lengths := map[string]int{protocol.SHA256: 60, protocol.SHA3: 136}
	for _, scheme := range schemes {
		for _, function := range hashFunctions {
			length := lengths[function.name]
			t.Run(scheme.name+"/"+function.name, func(t *testing.T) {
				session := openedHash(t, &system{scheme, curves[1]}, length, function.name)
				right := session.assignment.(*hashCircuit)
				if err := solves(t, session, right); err != nil {
					t.Fatalf("what is true is not taken: %v", err)
				}
				message := protocol.HashMessage(protocol.Seed{}, 0, length+1)
				changed := func(change func(*hashCircuit)) *hashCircuit {
					wrong := &hashCircuit{Digest: right.Digest, Message: slices.Clone(right.Message)}
					change(wrong)
					return wrong
				}
				wrong := map[string]*hashCircuit{
					"another first half":  changed(func(circuit *hashCircuit) { circuit.Digest[0] = 1 }),
					"another second half": changed(func(circuit *hashCircuit) { circuit.Digest[1] = 1 }),
					"exchanged halves": changed(func(circuit *hashCircuit) {
						circuit.Digest[0], circuit.Digest[1] = circuit.Digest[1], circuit.Digest[0]
					}),
					"a message one byte longer": changed(func(circuit *hashCircuit) {
						circuit.Message = append(circuit.Message, message[length])
					}),
					"the digest of a message one byte longer": changed(func(circuit *hashCircuit) {
						digest := &protocol.HashPublicInput{Digest: function.digest(message)}
						for i, half := range digest.Halves() {
							circuit.Digest[i] = half
						}
					}),
				}
				for _, position := range []int{0, 1, length / 2, length - 1} {
					wrong[fmt.Sprintf("another byte %d", position)] = changed(func(circuit *hashCircuit) {
						circuit.Message[position] = message[position] ^ 1
					})
				}
				for what, assignment := range wrong {
					if err := solves(t, session, assignment); err == nil {
						t.Errorf("%v: %s", errAcceptedInvalid, what)
					}
				}
			})
		}
	}
}

// TestElementsThatAreNoBytesAreRejectedByConstraints puts elements above 255 into a message. The
// functions that compute wires for an honest prover ("hints") would refuse them; a prover may replace
// these, so here they go along with everything, and it is a constraint that has to fail.
//
// Two of the cases are forgeries: another message with the digest of the first, were it not for the
// range check. A word of SHA-256 is the sum of its bytes, so that one may be 256 too large where the
// byte above it is one too small; the first word of a block is used in no other way. SHA3-256 looks
// its bytes up in pairs, x + 2⁸·y + 2¹⁶·(x ⊕ y), so that y may be 256 too large where the result is
// one too small. They must fail behind the comparison of the digest, which they pass.
func TestElementsThatAreNoBytesAreRejectedByConstraints(t *testing.T) {
	const length = 60
	forgeries := map[string]map[int]int{
		protocol.SHA256: {0: -1, 1: 256},
		protocol.SHA3:   {0: 257},
	}
	for _, scheme := range schemes {
		for _, function := range hashFunctions {
			t.Run(scheme.name+"/"+function.name, func(t *testing.T) {
				session := openedHash(t, &system{scheme, curves[1]}, length, function.name)
				right := session.assignment.(*hashCircuit)
				if err := solves(t, session, right, goingAlong(t)...); err != nil {
					t.Fatalf("what is true is not taken: %v", err)
				}
				message := protocol.HashMessage(protocol.Seed{}, 0, length)
				assigned := func(change map[int]int) *hashCircuit {
					wrong := &hashCircuit{Digest: right.Digest, Message: slices.Clone(right.Message)}
					for position, difference := range change {
						wrong.Message[position] = int(message[position]) + difference
					}
					return wrong
				}
				failing := func(what string, assignment *hashCircuit) int {
					err := solves(t, session, assignment, goingAlong(t)...)
					var unsatisfied *cs.UnsatisfiedConstraintError
					if !errors.As(err, &unsatisfied) {
						t.Fatalf("%v: %s (%v)", errAcceptedInvalid, what, err)
					}
					return unsatisfied.CID
				}
				otherDigest := assigned(nil)
				otherDigest.Digest[1] = 1
				comparison := failing("another digest", otherDigest)
				if found := failing("a forgery", assigned(forgeries[function.name])); found <= comparison {
					t.Errorf("the forgery fails at constraint %d, not behind the comparison of the digest, which is %d", found, comparison)
				}
				for _, position := range []int{0, 31, length - 1} {
					failing("an element above all bytes", assigned(map[int]int{position: 256}))
					failing("a negative element", assigned(map[int]int{position: -256}))
				}
			})
		}
	}
}

// goingAlong replaces the hints of gnark's tables by those of a prover who wants to get away with an
// element that is no byte: the one that splits an element leaves all that is too much in the last
// part, the one that counts passes over what it does not find, and the one that looks up takes from
// its result what would bring the row back into the table.
func goingAlong(t testing.TB) []solver.Option {
	t.Helper()
	split := func(_ *big.Int, inputs, outputs []*big.Int) error {
		rest := new(big.Int).Set(inputs[2])
		width := uint(inputs[1].Uint64())
		base := new(big.Int).Lsh(big.NewInt(1), width)
		for _, part := range outputs[:len(outputs)-1] {
			part.Mod(rest, base)
			rest.Rsh(rest, width)
		}
		outputs[len(outputs)-1].Set(rest)
		return nil
	}
	count := func(_ *big.Int, inputs, outputs []*big.Int) error {
		rows := int(inputs[0].Int64())
		position := make(map[string]int, rows)
		for row, entry := range inputs[2 : 2+rows] {
			position[entry.String()] = row
			outputs[row].SetUint64(0)
		}
		for _, query := range inputs[2+rows:] {
			if row, found := position[query.String()]; found {
				outputs[row].Add(outputs[row], big.NewInt(1))
			}
		}
		return nil
	}
	xor := func(_ *big.Int, inputs, outputs []*big.Int) error {
		low := new(big.Int).And(inputs[1], big.NewInt(0xff))
		outputs[0].Xor(inputs[0], low)
		outputs[0].Sub(outputs[0], new(big.Int).Rsh(inputs[1], 8))
		return nil
	}
	options := []solver.Option{solver.OverrideHint(solver.GetHintID(rangecheck.DecomposeHint), split)}
	for _, hint := range solver.GetRegisteredHints() {
		switch name := solver.GetHintName(hint); {
		case strings.HasSuffix(name, "logderivarg.countHint"):
			options = append(options, solver.OverrideHint(solver.GetHintID(hint), count))
		case strings.HasSuffix(name, "uints.xorHint"):
			options = append(options, solver.OverrideHint(solver.GetHintID(hint), xor))
		}
	}
	if len(options) != 3 {
		t.Fatalf("%d of the three hints were found", len(options))
	}
	return options
}

// TestHashIsAcceptedInAnotherProcessAndRejectedForAnotherDigest makes the keys of a real circuit: the
// only test that does, and for one system, the fastest.
func TestHashIsAcceptedInAnotherProcessAndRejectedForAnotherDigest(t *testing.T) {
	if testing.Short() {
		t.Skip("the keys take many seconds")
	}
	const name = "gnark/groth16/bn254"
	folder := t.TempDir()
	hash := map[string]any{"statement": "hash-preimage", "size": map[string]any{"bytes": 32}}
	records, status := speak(t, "run", runRequest("a", name, with(hash, map[string]any{"artifacts": folder})))
	if status != 0 {
		t.Fatal(records)
	}
	content, err := os.ReadFile(filepath.Join(folder, "public_input.json"))
	if err != nil {
		t.Fatal(err)
	}
	var publicInput struct{ Digest string }
	if err := json.Unmarshal(content, &publicInput); err != nil {
		t.Fatal(err)
	}
	digest := publicInput.Digest
	write := func(other string) map[string]any {
		path := filepath.Join(t.TempDir(), "public_input.json")
		changed := strings.Replace(string(content), digest, other, 1)
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		return map[string]any{"public_input": path}
	}
	longer := map[string]any{"size": map[string]any{"bytes": 33}}
	other := map[string]any{"variant": map[string]any{"function": "sha3-256"}}
	requests := []map[string]any{
		verifyRequest("accept", name, folder, hash),
		verifyRequest("zeros", name, folder, with(hash, write(strings.Repeat("0", 64)))),
		verifyRequest("exchanged halves", name, folder, with(hash, write(digest[32:]+digest[:32]))),
		verifyRequest("a byte more", name, folder, with(hash, longer)),
		verifyRequest("another function", name, folder, with(hash, other)),
		verifyRequest("accept again", name, folder, hash),
	}
	records, _ = speak(t, "verify", requests...)
	if len(records) != len(requests) {
		t.Fatal(records)
	}
	for _, record := range records {
		expected := strings.HasPrefix(record["id"].(string), "accept")
		if record["type"] != "verdict" || record["accepted"] != expected {
			t.Errorf("%v", record)
		}
	}
}

// with is some members and more.
func with(some, more map[string]any) map[string]any {
	both := map[string]any{}
	for _, members := range []map[string]any{some, more} {
		for name, value := range members {
			both[name] = value
		}
	}
	return both
}
