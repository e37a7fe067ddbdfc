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

// MimcPublicInput is the public input of `mimc-preimage`; its elements are below the order of the
// field.
type MimcPublicInput struct {
	Image     *big.Int
	Constants []*big.Int   // one for each round
	Preimage  *[2]*big.Int // left and right, under `preimage=public` alone
}

// mimcPublicInputFile is the file of STATEMENTS.md.
type mimcPublicInputFile struct {
	Statement string    `json:"statement"`
	Rounds    int       `json:"rounds"`
	Image     string    `json:"image"`
	Constants []string  `json:"constants"`
	Preimage  *[]string `json:"preimage,omitempty"`
}

func (publicInput *MimcPublicInput) encode(configuration *Configuration) ([]byte, error) {
	file := mimcPublicInputFile{
		Statement: configuration.Statement,
		Rounds:    configuration.Size,
		Image:     encodeInteger(publicInput.Image),
		Constants: encodeIntegers(publicInput.Constants),
	}
	if publicInput.Preimage != nil {
		preimage := encodeIntegers(publicInput.Preimage[:])
		file.Preimage = &preimage
	}
	return marshal(file)
}

// constantsOfKey are the round constants where the circuit has fixed them.
func (publicInput *MimcPublicInput) constantsOfKey(configuration *Configuration) []*big.Int {
	if configuration.variant["constants"] == "fixed" {
		return publicInput.Constants
	}
	return nil
}

func readMimcPublicInput(object *members, configuration *Configuration, modulus *big.Int) (PublicInput, *Failure) {
	rounds := uint64(configuration.Size)
	if _, failure := object.integer("rounds", rounds, rounds); failure != nil {
		return nil, failure
	}
	given, failure := object.require("image", legalElement)
	if failure != nil {
		return nil, failure
	}
	publicInput := &MimcPublicInput{}
	if publicInput.Image, failure = readElement(object, "image", given, modulus); failure != nil {
		return nil, failure
	}
	if publicInput.Constants, failure = readElements(object, "constants", configuration.Size, modulus); failure != nil {
		return nil, failure
	}
	if configuration.variant["preimage"] == "public" {
		halves, failure := readElements(object, "preimage", 2, modulus)
		if failure != nil {
			return nil, failure
		}
		publicInput.Preimage = &[2]*big.Int{halves[0], halves[1]}
	}
	return publicInput, nil
}
