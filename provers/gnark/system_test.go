package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark/backend/groth16"
	groth16bls12381 "github.com/consensys/gnark/backend/groth16/bls12-381"

	"nizk-bench/provers/protocol-go"
)

// errAcceptedInvalid is what no test may see: something that is not true was accepted.
var errAcceptedInvalid = errors.New("accepted invalid")

// opened is a session with keys and instance 0 loaded.
func opened(t testing.TB, system protocol.System, rounds int, variant map[string]string) *session {
	t.Helper()
	configuration, err := protocol.ConfigurationFromTexts(system.Description(), protocol.MimcStatement, rounds, 1, variant)
	if err != nil {
		t.Fatal(err)
	}
	begun, err := system.Open(configuration, protocol.Seed{})
	if err != nil {
		t.Fatal(err)
	}
	session := begun.(*session)
	prepare(t, session)
	return session
}

// prepare makes the keys of a session and loads instance 0.
func prepare(t testing.TB, session *session) {
	t.Helper()
	for _, step := range []func() error{session.Compile, session.Prepare, session.Setup, func() error { return session.LoadInstance(0) }} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

func proven(t testing.TB, system protocol.System, rounds int, variant map[string]string) *session {
	t.Helper()
	session := opened(t, system, rounds, variant)
	prove(t, session)
	return session
}

// prove proves the instance of a session.
func prove(t testing.TB, session *session) {
	t.Helper()
	if err := session.Prove(); err != nil {
		t.Fatal(err)
	}
	if verdict, err := session.Verify(); err != nil || !verdict.Accepted {
		t.Fatalf("the proof is not accepted: %v %v", verdict, err)
	}
}

// TestConstraintCountsAreTheCommittedOnes fails when a version of gnark or a change of the circuit
// moves what is measured. An entry is constraints, variables, domain and terms; PLONK has no terms.
func TestConstraintCountsAreTheCommittedOnes(t *testing.T) {
	type counts struct {
		rounds int
		scheme string
		public bool
		gadget string
	}
	committed := map[counts][]float64{
		{15, "groth16", false, constantTerms}:   {31, 34, 32, 153},
		{15, "groth16", true, constantTerms}:    {31, 49, 32, 153},
		{15, "groth16", false, growingTerms}:    {31, 34, 32, 314},
		{255, "groth16", false, constantTerms}:  {511, 514, 512, 2553},
		{255, "groth16", true, constantTerms}:   {511, 769, 512, 2553},
		{255, "groth16", false, growingTerms}:   {511, 514, 512, 51194},
		{4095, "groth16", false, constantTerms}: {8191, 8194, 8192, 40953},
		{4095, "groth16", true, constantTerms}:  {8191, 12289, 8192, 40953},
		{4095, "groth16", false, growingTerms}:  {8215, 8218, 16384, 1830218},
		{15, "plonk", false, ""}:                {61, 63, 64},
		{15, "plonk", true, ""}:                 {61, 78, 128},
		{255, "plonk", false, ""}:               {1021, 1023, 1024},
		{255, "plonk", true, ""}:                {1021, 1278, 2048},
		{4095, "plonk", false, ""}:              {16381, 16383, 16384},
		{4095, "plonk", true, ""}:               {16381, 20478, 32768},
	}
	for _, some := range systems() {
		system := some.(*system)
		for expected, counted := range committed {
			if expected.scheme != system.scheme.name {
				continue
			}
			variant := map[string]string{"constants": "fixed"}
			if expected.public {
				variant["constants"] = "public"
			}
			if expected.gadget != "" {
				variant["gadget"] = expected.gadget
			}
			configuration, err := protocol.ConfigurationFromTexts(system.Description(), protocol.MimcStatement, expected.rounds, 1, variant)
			if err != nil {
				t.Fatal(err)
			}
			begun, err := system.Open(configuration, protocol.Seed{})
			if err != nil {
				t.Fatal(err)
			}
			session := begun.(*session)
			if err := session.Compile(); err != nil {
				t.Fatal(err)
			}
			var found []float64
			for _, counter := range session.Counters() {
				found = append(found, counter.Value)
			}
			if !slices.Equal(found, counted) {
				t.Errorf("%s %+v has %v, committed are %v", system.Description().System, expected, found, counted)
			}
		}
	}
}

func TestSizesAreTheCommittedOnes(t *testing.T) {
	committed := map[string]string{
		"gnark/groth16/bls12-381": "proof 244 484, verifying_key 540 1068, public_input 44, witness 108",
		"gnark/groth16/bn254":     "proof 164 324, verifying_key 364 716, public_input 44, witness 108",
		"gnark/plonk/bls12-381":   "proof 664 1096, verifying_key 49144 49768, public_input 44, witness 108",
		"gnark/plonk/bn254":       "proof 520 808, verifying_key 34344 34760, public_input 44, witness 108",
	}
	for _, system := range systems() {
		name := system.Description().System
		for _, rounds := range []int{7, 100} {
			session := proven(t, system, rounds, nil)
			if text := sizesOf(t, session); text != committed[name] {
				t.Errorf("%s, %d rounds: %s", name, rounds, text)
			}
		}
	}
}

// sizesOf puts the sizes of a session into words, but for that of the proving key, which is the one
// that grows with the circuit.
func sizesOf(t *testing.T, session *session) string {
	t.Helper()
	sizes, err := session.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	text, last := "", protocol.SizeOf("")
	for _, size := range sizes {
		if size.Of == protocol.SizeOfProvingKey {
			continue
		}
		if size.Of != last {
			text += fmt.Sprintf(", %s", size.Of)
		}
		text += fmt.Sprintf(" %d", size.Bytes)
		last = size.Of
	}
	if len(session.Proof()) != int(sizes[0].Bytes) {
		t.Errorf("the proof has %d bytes, its size says %d", len(session.Proof()), sizes[0].Bytes)
	}
	return text[2:]
}

func TestSessionsMeetTheKnownAnswers(t *testing.T) {
	text, err := os.ReadFile("../../data/vectors/mimc-preimage.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Answers []struct {
			Field, Seed, Image string
			Rounds             int
			Instance           uint64
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, system := range systems() {
		description := system.Description()
		met := 0
		for _, answer := range vectors.Answers {
			if answer.Field != description.Field.Name || answer.Rounds > 255 {
				continue
			}
			configuration, err := protocol.ConfigurationFromTexts(description, protocol.MimcStatement, answer.Rounds, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			seed, _ := protocol.ParseSeed(answer.Seed)
			session, err := system.Open(configuration, seed)
			if err != nil {
				t.Fatal(err)
			}
			if err := session.LoadInstance(answer.Instance); err != nil {
				t.Fatal(err)
			}
			if image := fmt.Sprintf("0x%x", session.PublicInput().(*protocol.MimcPublicInput).Image); image != answer.Image {
				t.Errorf("%s, %d rounds: image %s, known is %s", description.System, answer.Rounds, image, answer.Image)
			}
			met++
		}
		if met == 0 {
			t.Errorf("there is no known answer for field %s", description.Field.Name)
		}
	}
}

// TestCircuitHoldsForNothingButThePreimage asks the solver, which checks every constraint, and with
// a random assignment to each input in turn.
func TestCircuitHoldsForNothingButThePreimage(t *testing.T) {
	for _, system := range systems() {
		for _, variant := range variantsOf(system) {
			session := opened(t, system, 9, variant)
			curve := session.system.curve
			other := curve.element(big.NewInt(12345))
			right := *session.assignment.(*mimcCircuit)
			changes := map[string]func(*mimcCircuit){
				"image": func(circuit *mimcCircuit) { circuit.Image = other },
				"left":  func(circuit *mimcCircuit) { circuit.Left = other },
				"right": func(circuit *mimcCircuit) { circuit.Right = other },
			}
			for round := range right.Constants {
				changes[fmt.Sprintf("constant %d", round)] = func(circuit *mimcCircuit) {
					circuit.Constants = slices.Clone(circuit.Constants)
					circuit.Constants[round] = other
				}
			}
			for what, change := range changes {
				wrong := right
				change(&wrong)
				session.assignment = &wrong
				if err := session.Prove(); err == nil {
					t.Errorf("%v: %s %v proves another %s", errAcceptedInvalid, system.Description().System, variant, what)
				}
			}
			session.assignment = &right
			if err := session.Prove(); err != nil {
				t.Errorf("%s %v does not prove what is true: %v", system.Description().System, variant, err)
			}
		}
	}
}

// variantsOf lists every variant that a system has.
func variantsOf(system protocol.System) []map[string]string {
	all := []map[string]string{{}}
	for _, variant := range system.Description().Statements[0].Variants {
		var more []map[string]string
		for _, value := range variant.Values {
			for _, one := range all {
				chosen := maps.Clone(one)
				chosen[variant.Name] = value
				more = append(more, chosen)
			}
		}
		all = more
	}
	return all
}

func TestEveryFlippedBitOfAProofIsRejected(t *testing.T) {
	for _, system := range systems() {
		t.Run(system.Description().System, func(t *testing.T) {
			for _, session := range []*session{proven(t, system, 7, nil), provenLookup(t, system)} {
				proof := slices.Clone(session.serialised)
				for bit := range 8 * len(proof) {
					session.serialised = slices.Clone(proof)
					session.serialised[bit/8] ^= 1 << (bit % 8)
					if verdict, err := session.Verify(); err != nil || verdict.Accepted {
						t.Errorf("%v: a proof of %d bytes with bit %d flipped (%v)", errAcceptedInvalid, len(proof), bit, err)
					}
				}
			}
		})
	}
}

func TestOtherSerialisationsOfAProofAreRejected(t *testing.T) {
	for _, system := range systems() {
		for _, session := range []*session{proven(t, system, 7, nil), provenLookup(t, system)} {
			proof := slices.Clone(session.serialised)
			var uncompressed bytes.Buffer
			if _, err := session.proof.WriteRawTo(&uncompressed); err != nil {
				t.Fatal(err)
			}
			others := map[string][]byte{
				"nothing":                {},
				"a byte less":            proof[:len(proof)-1],
				"a byte more":            append(slices.Clone(proof), 0),
				"the proof twice":        append(slices.Clone(proof), proof...),
				"points in full":         uncompressed.Bytes(),
				"zeros":                  make([]byte, len(proof)),
				"ones":                   bytes.Repeat([]byte{0xff}, len(proof)),
				"four thousand megabyte": append(slices.Clone(proof[:len(proof)-4]), 0xff, 0xff, 0xff, 0xff),
			}
			for _, span := range session.layout.fixed {
				long := slices.Clone(proof)
				copy(long[span.offset:], []byte{0xff, 0xff, 0xff, 0xff})
				others[fmt.Sprintf("a list at %d as long as can be", span.offset)] = long
			}
			for what, other := range others {
				session.serialised = other
				if verdict, err := session.Verify(); err != nil || verdict.Accepted {
					t.Errorf("%v: %s for a proof of %s (%v)", errAcceptedInvalid, what, system.Description().System, err)
				}
			}
		}
	}
}

// TestCommitmentThatNobodyLooksAtIsRejected adds what gnark itself would accept: it reads a proof of
// knowledge of commitments and, for a circuit without any, never looks at it.
func TestCommitmentThatNobodyLooksAtIsRejected(t *testing.T) {
	session := proven(t, &system{groth16Scheme, curves[0]}, 7, nil)
	proof := groth16.NewProof(ecc.BLS12_381).(*groth16bls12381.Proof)
	if _, err := proof.ReadFrom(bytes.NewReader(session.serialised)); err != nil {
		t.Fatal(err)
	}
	_, _, proof.CommitmentPok, _ = bls12381.Generators()
	altered, err := serialise(proof)
	if err != nil {
		t.Fatal(err)
	}
	session.serialised = altered
	if verdict, err := session.Verify(); err != nil || verdict.Accepted {
		t.Errorf("%v: another proof of knowledge (%v)", errAcceptedInvalid, err)
	}
}

func TestKeyIsReadBackAndNothingElseIs(t *testing.T) {
	for _, some := range systems() {
		system := some.(*system)
		for _, variant := range variantsOf(system) {
			configuration, err := protocol.ConfigurationFromTexts(system.Description(), protocol.MimcStatement, 7, 1, variant)
			if err != nil {
				t.Fatal(err)
			}
			mustReadNothingButItsKey(t, proven(t, system, 7, variant), statementOf(system, configuration))
		}
		mustReadNothingButItsKey(t, provenLookup(t, system), newLookup(system))
	}
}

func mustReadNothingButItsKey(t *testing.T, session *session, statement statement) {
	t.Helper()
	name := session.system.Description().System
	key, err := session.VerifyingKey()
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := newVerifier(session.system, statement, key)
	if err != nil {
		t.Fatalf("%s %T: %v", name, statement, err)
	}
	if verdict := verifier.Verify(session.PublicInput(), session.Proof()); !verdict.Accepted {
		t.Errorf("%s %T: %s", name, statement, verdict.Reason)
	}
	for what, other := range map[string][]byte{
		"nothing":     {},
		"a byte less": key[:len(key)-1],
		"a byte more": append(slices.Clone(key), 0),
		"zeros":       make([]byte, len(key)),
		"ones":        bytes.Repeat([]byte{0xff}, len(key)),
	} {
		if _, err := newVerifier(session.system, statement, other); err == nil {
			t.Errorf("%v: %s for a key of %s", errAcceptedInvalid, what, name)
		}
	}
}
