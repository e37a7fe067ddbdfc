package main

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/twistededwards"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"

	"nizk-bench/provers/protocol-go"
)

// rangeVectors is data/vectors/range.json.
type rangeVectors struct {
	Groups map[string]struct {
		Order             string `json:"order"`
		ValueGenerator    string `json:"value_generator"`
		BlindingGenerator string `json:"blinding_generator"`
	} `json:"groups"`
	Answers []struct {
		Group       string   `json:"group"`
		Seed        string   `json:"seed"`
		Bits        int      `json:"bits"`
		Values      int      `json:"values"`
		Instance    uint64   `json:"instance"`
		Commitments []string `json:"commitments"`
	} `json:"answers"`
}

func readRangeVectors(t *testing.T) rangeVectors {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "data", "vectors", "range.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors rangeVectors
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

func encodedHexadecimal(point *jubjub) string {
	encoded := encodeJubjub(point)
	return hex.EncodeToString(encoded[:])
}

func TestGeneratorsOfCommitmentsAreThoseOfTheReference(t *testing.T) {
	group := readRangeVectors(t).Groups["jubjub"]
	generators := pedersenGenerators()
	if found := encodedHexadecimal(generators.value); found != group.ValueGenerator {
		t.Errorf("the generator of values is %s", found)
	}
	if found := encodedHexadecimal(generators.blinding); found != group.BlindingGenerator {
		t.Errorf("the generator of blinding factors is %s", found)
	}
	if found := "0x" + generators.order.Text(16); found != group.Order {
		t.Errorf("the order is %s", found)
	}
}

func TestCommitmentsAreThoseOfTheReference(t *testing.T) {
	compared := 0
	for _, answer := range readRangeVectors(t).Answers {
		if answer.Group != "jubjub" {
			continue
		}
		seed, ok := protocol.ParseSeed(answer.Seed)
		if !ok {
			t.Fatalf("%s is no seed", answer.Seed)
		}
		ranges := &ranges{answer.Bits, answer.Values}
		_, publicInput := ranges.instances(seed).derive(answer.Instance)
		for i, commitment := range publicInput.(*protocol.RangePublicInput).Commitments {
			if found := hex.EncodeToString(commitment[:]); found != answer.Commitments[i] {
				t.Fatalf("commitment %d of %d bits is %s, expected %s", i, answer.Bits, found, answer.Commitments[i])
			}
			compared++
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

func TestPointsAreDecodedAsTheyAreEncodedAndNothingElseIs(t *testing.T) {
	generators := pedersenGenerators()
	negative := new(jubjub).Neg(generators.value)
	zero := new(jubjub)
	zero.Y.SetOne()
	for _, point := range []*jubjub{generators.value, generators.blinding, negative, zero} {
		decoded, err := decodeJubjub(encodeJubjub(point))
		if err != nil || !decoded.Equal(point) {
			t.Errorf("%v is decoded as %v: %v", point, decoded, err)
		}
	}
	signOfZero := encodeJubjub(zero)
	signOfZero[31] |= 0x80
	var unreduced [32]byte
	copy(unreduced[:], reversed(fr.Modulus().Bytes()))
	var ones [32]byte
	for i := range ones {
		ones[i] = 0xff
	}
	refused := [][32]byte{signOfZero, unreduced, ones}
	for small := byte(2); small < 40; small++ {
		if _, err := decodeJubjub([32]byte{small}); err != nil {
			refused = append(refused, [32]byte{small})
			break
		}
	}
	if len(refused) != 4 {
		t.Error("every small number is the coordinate of a point")
	}
	for _, encoded := range refused {
		if point, err := decodeJubjub(encoded); err == nil {
			t.Errorf("%x is decoded as %v", encoded, point)
		}
	}
}

func reversed(bytes []byte) []byte {
	turned := make([]byte, len(bytes))
	for i, value := range bytes {
		turned[len(bytes)-1-i] = value
	}
	return turned
}

func compileRange(t *testing.T, scheme *scheme, ranges *ranges) constraint.ConstraintSystem {
	t.Helper()
	compiled, err := frontend.Compile(ecc.BLS12_381.ScalarField(), scheme.builder, ranges.empty())
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// satisfies says whether an assignment satisfies a circuit, whatever the hints of gnark say.
func satisfies(t *testing.T, compiled constraint.ConstraintSystem, assignment frontend.Circuit) bool {
	t.Helper()
	witness, err := frontend.NewWitness(assignment, ecc.BLS12_381.ScalarField())
	if err != nil {
		t.Fatal(err)
	}
	return compiled.IsSolved(witness) == nil
}

func TestRangesAreSatisfiedByOpeningsOfTheirCommitmentsAlone(t *testing.T) {
	for _, scheme := range schemes {
		for _, bits := range []int{8, 64} {
			ranges := &ranges{bits, 2}
			compiled := compileRange(t, scheme, ranges)
			largest := uint64(1)<<bits - 1
			blindings := []*big.Int{big.NewInt(0), new(big.Int).Sub(pedersenGenerators().order, big.NewInt(1))}
			for _, values := range [][]uint64{{0, largest}, {largest, 1}} {
				assignment, _ := ranges.assign(values, blindings)
				if !satisfies(t, compiled, assignment) {
					t.Errorf("%s, %d bits: openings of %v do not satisfy the circuit", scheme.name, bits, values)
				}
			}
			assignment, _ := ranges.assign([]uint64{3, 5}, blindings)
			circuit := assignment.(*rangeCircuit)
			circuit.Commitments[0], circuit.Commitments[1] = circuit.Commitments[1], circuit.Commitments[0]
			if satisfies(t, compiled, circuit) {
				t.Errorf("%s, %d bits: exchanged commitments satisfy the circuit", scheme.name, bits)
			}
		}
	}
}

func TestValuesOutOfRangeCannotBeProven(t *testing.T) {
	for _, scheme := range schemes {
		ranges := &ranges{8, 1}
		compiled := compileRange(t, scheme, ranges)
		for _, value := range []uint64{1 << 8, 1<<8 + 7, 1<<64 - 1} {
			assignment, _ := ranges.assign([]uint64{value}, []*big.Int{big.NewInt(12345)})
			if satisfies(t, compiled, assignment) {
				t.Errorf("%s: %d satisfies the circuit of 8 bits", scheme.name, value)
			}
		}
	}
}

// A commitment outside the subgroup differs from one within by a point of small order.
func TestCommitmentsOutsideTheSubgroupCannotBeProven(t *testing.T) {
	ranges := &ranges{8, 1}
	compiled := compileRange(t, groth16Scheme, ranges)
	assignment, _ := ranges.assign([]uint64{7}, []*big.Int{big.NewInt(12345)})
	circuit := assignment.(*rangeCircuit)
	of := circuit.Commitments[0]
	point := twistededwards.NewPointAffine(of.U.(fr.Element), of.V.(fr.Element))
	point.X.Neg(&point.X)
	point.Y.Neg(&point.Y)
	circuit.Commitments[0] = rangePoint{U: point.X, V: point.Y}
	if !point.IsOnCurve() || satisfies(t, compiled, circuit) {
		t.Error("the commitment with the point of order two added satisfies the circuit")
	}
}

// The committed sizes: a change here changes what all published times mean.
func TestConstraintsOfRanges(t *testing.T) {
	for _, expected := range []struct{ bits, values, groth16, plonk int }{
		{8, 1, 1039, 2942},
		{16, 1, 1073, 3033},
		{32, 1, 1135, 3214},
		{64, 1, 1265, 3577},
		{64, 8, 10_120, 28_616},
	} {
		ranges := &ranges{expected.bits, expected.values}
		mustCount(t, "groth16", ranges, compileRange(t, groth16Scheme, ranges), expected.groth16)
		mustCount(t, "plonk", ranges, compileRange(t, plonkScheme, ranges), expected.plonk)
	}
}

func mustCount(t *testing.T, scheme string, ranges *ranges, compiled constraint.ConstraintSystem, expected int) {
	t.Helper()
	if found := compiled.GetNbConstraints(); found != expected {
		t.Errorf("%s of %d values of %d bits has %d constraints instead of %d",
			scheme, ranges.values, ranges.bits, found, expected)
	}
}

func TestRangesAreProvenAndVerifiedFromTheirFilesAlone(t *testing.T) {
	ranges := &ranges{8, 2}
	system := &system{groth16Scheme, curves[0]}
	session := newSession(system, ranges, protocol.Seed{1})
	for _, step := range []func() error{session.Compile, session.Setup, func() error { return session.LoadInstance(3) }, session.Prove} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if verdict, err := session.Verify(); err != nil || !verdict.Accepted {
		t.Fatal(verdict, err)
	}
	key, err := session.VerifyingKey()
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := newVerifier(system, ranges, key)
	if err != nil {
		t.Fatal(err)
	}
	given := session.PublicInput().(*protocol.RangePublicInput)
	if verdict := verifier.Verify(given, session.Proof()); !verdict.Accepted {
		t.Error(verdict.Reason)
	}
	for what, change := range map[string]func([][32]byte){
		"exchanged":    func(all [][32]byte) { all[0], all[1] = all[1], all[0] },
		"the identity": func(all [][32]byte) { all[0] = [32]byte{1} },
		"negated":      func(all [][32]byte) { all[1][31] ^= 0x80 },
		"no point":     func(all [][32]byte) { all[1] = [32]byte{31: 0xff} },
	} {
		changed := &protocol.RangePublicInput{Commitments: append([][32]byte{}, given.Commitments...)}
		change(changed.Commitments)
		if verifier.Verify(changed, session.Proof()).Accepted {
			t.Errorf("commitments that are %s are accepted", what)
		}
	}
	sizes, err := session.Sizes()
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes {
		if size.Of == protocol.SizeOfPublicInput && size.Bytes != 64 {
			t.Errorf("the public input has %d bytes instead of two encodings", size.Bytes)
		}
	}
}
