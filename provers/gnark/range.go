package main

import (
	"fmt"
	"math/big"
	"sync"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	edwards "github.com/consensys/gnark-crypto/ecc/twistededwards"
	"github.com/consensys/gnark/frontend"
	native "github.com/consensys/gnark/std/algebra/native/twistededwards"

	"nizk-bench/provers/protocol-go"
)

// blindingBits are the bits of a blinding factor: the order of the group is below 2^252.
const blindingBits = 252

// commitmentBytes are those of an encoded commitment.
const commitmentBytes = 32

// pedersen is what commitments are made with.
type pedersen struct {
	order           *big.Int
	value, blinding *jubjub
	values          jubjubTable
	blindings       jubjubTable
}

var pedersenGenerators = sync.OnceValue(func() *pedersen {
	value, blinding := jubjubGenerator("value"), jubjubGenerator("blinding")
	return &pedersen{
		order:     jubjubOrder(),
		value:     value,
		blinding:  blinding,
		values:    newJubjubTable(value, 64),
		blindings: newJubjubTable(blinding, blindingBits),
	}
})

// commit makes the commitment that a value and a blinding factor open.
func (pedersen *pedersen) commit(value uint64, blinding *big.Int) *jubjub {
	var of, hiding jubjub
	of.ScalarMultiplication(pedersen.value, new(big.Int).SetUint64(value))
	hiding.ScalarMultiplication(pedersen.blinding, blinding)
	return of.Add(&of, &hiding)
}

// rangePoint is a point of Jubjub in a circuit.
type rangePoint struct {
	U, V frontend.Variable
}

// rangeCircuit is `range` (STATEMENTS.md).
type rangeCircuit struct {
	Commitments []rangePoint `gnark:",public"`
	Values      []frontend.Variable
	Blindings   []frontend.Variable

	bits int
}

// Define takes every value apart into as many bits as it may have, and shows that it has no others.
func (circuit *rangeCircuit) Define(api frontend.API) error {
	curve, err := native.NewEdCurve(api, edwards.BLS12_381)
	if err != nil {
		return fmt.Errorf("make the gadget of Jubjub: %w", err)
	}
	generators := pedersenGenerators()
	for i, commitment := range circuit.Commitments {
		made := combination{api: api, curve: curve}
		made.add(generators.values[:(circuit.bits+window-1)/window], api.ToBinary(circuit.Values[i], circuit.bits))
		made.add(generators.blindings, api.ToBinary(circuit.Blindings[i], blindingBits))
		api.AssertIsEqual(commitment.U, made.sum.X)
		api.AssertIsEqual(commitment.V, made.sum.Y)
	}
	return nil
}

// ranges implements [statement] for `range` of one size and variant.
type ranges struct {
	bits, values int
}

func newRanges(configuration *protocol.Configuration) *ranges {
	return &ranges{protocol.RangeBitsOf(configuration), configuration.Size}
}

// shape implements [statement].
func (ranges *ranges) shape() shape {
	return shape{publicElements: 2 * ranges.values, encodedBytes: commitmentBytes * ranges.values}
}

// assignPublic implements [statement]: it decodes the commitments. That they are of prime order is
// what a proof shows.
func (ranges *ranges) assignPublic(given protocol.PublicInput) (frontend.Circuit, error) {
	commitments := given.(*protocol.RangePublicInput).Commitments
	assignment := &rangeCircuit{Commitments: make([]rangePoint, len(commitments))}
	for i, encoded := range commitments {
		point, err := decodeJubjub(encoded)
		if err != nil {
			return nil, err
		}
		assignment.Commitments[i] = rangePoint{U: point.X, V: point.Y}
	}
	return assignment, nil
}

// instances implements [statement].
func (ranges *ranges) instances(seed protocol.Seed) instances { return &rangeInstances{ranges, seed} }

// rangeInstances implements [instances].
type rangeInstances struct {
	ranges *ranges
	seed   protocol.Seed
}

// source implements [instances].
func (instances *rangeInstances) source() frontend.Circuit { return instances.ranges.empty() }

func (ranges *ranges) empty() *rangeCircuit {
	return &rangeCircuit{
		Commitments: make([]rangePoint, ranges.values),
		Values:      make([]frontend.Variable, ranges.values),
		Blindings:   make([]frontend.Variable, ranges.values),
		bits:        ranges.bits,
	}
}

// derive implements [instances].
func (instances *rangeInstances) derive(index uint64) (frontend.Circuit, protocol.PublicInput) {
	ranges, order := instances.ranges, pedersenGenerators().order
	values, blindings := make([]uint64, ranges.values), make([]*big.Int, ranges.values)
	for place := range values {
		values[place] = protocol.RangeValue(instances.seed, index, place, ranges.bits)
		blindings[place] = protocol.RangeBlinding(instances.seed, index, place, order)
	}
	return ranges.assign(values, blindings)
}

// assign assigns openings, and returns the commitments that they open.
func (ranges *ranges) assign(values []uint64, blindings []*big.Int) (frontend.Circuit, protocol.PublicInput) {
	assignment := ranges.empty()
	publicInput := &protocol.RangePublicInput{}
	for i, value := range values {
		commitment := pedersenGenerators().commit(value, blindings[i])
		assignment.Commitments[i] = rangePoint{U: commitment.X, V: commitment.Y}
		assignment.Values[i] = *new(fr.Element).SetUint64(value)
		assignment.Blindings[i] = *new(fr.Element).SetBigInt(blindings[i])
		publicInput.Commitments = append(publicInput.Commitments, encodeJubjub(commitment))
	}
	return assignment, publicInput
}
