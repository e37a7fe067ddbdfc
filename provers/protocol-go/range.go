package protocol

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strconv"
)

// The statement `range`, its size and its variant, as STATEMENTS.md defines them.
const (
	RangeStatement     = "range"
	RangeSize          = "values"
	RangeMinimumValues = 1
	RangeMaximumValues = 32
	RangeVariantBits   = "bits"
)

// RangeBits are the legal values of the variant `bits`, the default first.
var RangeBits = []string{"64", "32", "16", "8"}

// RangeDescription is the statement as a system describes it that proves so many values at once.
func RangeDescription(rule SizeRule) StatementDescription {
	return StatementDescription{
		Statement: RangeStatement,
		Size:      SizeRange{RangeSize, RangeMinimumValues, RangeMaximumValues, rule},
		Variants:  []VariantDescription{{RangeVariantBits, RangeBits, RangeBits[0]}},
		Unsound:   []Unsound{},
	}
}

// RangeBitsOf is the number of bits of a configuration. It panics if the description names something
// else as bits: a fault of the runner.
func RangeBitsOf(configuration *Configuration) int {
	bits, err := strconv.Atoi(configuration.Variant(RangeVariantBits))
	if err != nil {
		panic(fmt.Sprintf("the description of %s names no bits: %v", configuration.System, err))
	}
	return bits
}

// RangeValue returns the value of an instance at a place, below 2^bits: the digest is a little-endian
// integer.
func RangeValue(seed Seed, index uint64, place, bits int) uint64 {
	digest := seed.Digest(fmt.Sprintf("range/value/%d", place), index)
	return binary.LittleEndian.Uint64(digest[:8]) & (1<<bits - 1)
}

// RangeBlinding returns the blinding factor of an instance at a place, below the order of the group.
func RangeBlinding(seed Seed, index uint64, place int, order *big.Int) *big.Int {
	return Field{order}.Element(fmt.Sprintf("range/blinding/%d", place), seed, index)
}

// RangeGenerator returns a candidate for the coordinate of the generator `name`, which is value or
// blinding; for groups that have no generators of their own.
func (field Field) RangeGenerator(name string, index uint64) *big.Int {
	return field.Element("range/generator/"+name, Seed{}, index)
}

// RangePublicInput is the public input of `range`.
type RangePublicInput struct {
	// One commitment a value, as the group encodes points; the encodings are not to be trusted.
	Commitments [][32]byte
}

// rangePublicInputFile is the file of STATEMENTS.md.
type rangePublicInputFile struct {
	Statement   string   `json:"statement"`
	Bits        int      `json:"bits"`
	Values      int      `json:"values"`
	Commitments []string `json:"commitments"`
}

func (publicInput *RangePublicInput) encode(configuration *Configuration) ([]byte, error) {
	texts := make([]string, len(publicInput.Commitments))
	for i, commitment := range publicInput.Commitments {
		texts[i] = encodeBytes(commitment[:])
	}
	return marshal(rangePublicInputFile{
		Statement:   configuration.Statement,
		Bits:        RangeBitsOf(configuration),
		Values:      configuration.Size,
		Commitments: texts,
	})
}

// constantsOfKey is nobody's: the generators are those of the group.
func (publicInput *RangePublicInput) constantsOfKey(*Configuration) []*big.Int { return nil }

func readRangePublicInput(object *members, configuration *Configuration, _ *big.Int) (PublicInput, *Failure) {
	bits, size := uint64(RangeBitsOf(configuration)), uint64(configuration.Size)
	if _, failure := object.integer("bits", bits, bits); failure != nil {
		return nil, failure
	}
	if _, failure := object.integer("values", size, size); failure != nil {
		return nil, failure
	}
	legal := fmt.Sprintf("an array of %d times 64 lower-case hexadecimal digits", size)
	given, failure := object.require("commitments", legal)
	if failure != nil {
		return nil, failure
	}
	items, ok := given.([]any)
	if !ok || len(items) != configuration.Size {
		return nil, object.wrong("commitments", given, legal)
	}
	publicInput := &RangePublicInput{Commitments: make([][32]byte, len(items))}
	for i, item := range items {
		text, ok := item.(string)
		if !ok || !decodeBytes(text, publicInput.Commitments[i][:]) {
			return nil, object.wrong("commitments", given, legal)
		}
	}
	return publicInput, nil
}
