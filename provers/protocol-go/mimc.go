package protocol

import (
	"math/big"
	"slices"
)

// The statement `mimc-preimage` and its size, as STATEMENTS.md defines them.
const (
	MimcStatement     = "mimc-preimage"
	MimcSize          = "rounds"
	MimcMinimumRounds = 7
	MimcMaximumRounds = 16383
)

// Field is a prime field, given by its order.
type Field struct {
	Modulus *big.Int
}

// Description is the field as a system describes it; `name` is that of data/vectors.
func (field Field) Description(name string) FieldDescription {
	return FieldDescription{Name: name, Modulus: encodeInteger(field.Modulus), Bits: field.Modulus.BitLen()}
}

// Element returns `element(label, seed, index)` of STATEMENTS.md.
func (field Field) Element(label string, seed Seed, index uint64) *big.Int {
	digest := seed.Digest(label, index)
	slices.Reverse(digest[:])
	element := new(big.Int).SetBytes(digest[:])
	return element.Mod(element, field.Modulus)
}

// MimcConstants returns the round constants of a seed.
func (field Field) MimcConstants(seed Seed, rounds int) []*big.Int {
	constants := make([]*big.Int, rounds)
	for i := range constants {
		constants[i] = field.Element("mimc/constant", seed, uint64(i))
	}
	return constants
}

// MimcPreimage returns the two halves of the preimage of an instance.
func (field Field) MimcPreimage(seed Seed, index uint64) (left, right *big.Int) {
	return field.Element("mimc/left", seed, index), field.Element("mimc/right", seed, index)
}

// MimcImage returns the image of a preimage: the left half after the last of the rounds
// (l, r) ↦ (r + (l + c)³, l).
func (field Field) MimcImage(constants []*big.Int, left, right *big.Int) *big.Int {
	left, right = new(big.Int).Set(left), new(big.Int).Set(right)
	base, cube := new(big.Int), new(big.Int)
	for _, constant := range constants {
		base.Add(left, constant)
		cube.Mul(base, base)
		cube.Mod(cube, field.Modulus)
		cube.Mul(cube, base)
		right.Add(right, cube)
		right.Mod(right, field.Modulus)
		left, right = right, left
	}
	return left
}
