package protocol

import (
	"fmt"
	"math/big"
)

// PublicInput is the public input of `mimc-preimage`; its elements are below the order of the field.
type PublicInput struct {
	Image     *big.Int
	Constants []*big.Int   // one for each round
	Preimage  *[2]*big.Int // left and right, under `preimage=public` alone
}

// publicInputFile is the file of STATEMENTS.md.
type publicInputFile struct {
	Statement string    `json:"statement"`
	Rounds    int       `json:"rounds"`
	Image     string    `json:"image"`
	Constants []string  `json:"constants"`
	Preimage  *[]string `json:"preimage,omitempty"`
}

// encode writes the file of STATEMENTS.md.
func (publicInput *PublicInput) encode(configuration *Configuration) ([]byte, error) {
	file := publicInputFile{
		Statement: configuration.Statement,
		Rounds:    configuration.Rounds,
		Image:     encodeInteger(publicInput.Image),
		Constants: encodeIntegers(publicInput.Constants),
	}
	if publicInput.Preimage != nil {
		preimage := encodeIntegers(publicInput.Preimage[:])
		file.Preimage = &preimage
	}
	return marshal(file)
}

func encodeIntegers(values []*big.Int) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = encodeInteger(value)
	}
	return texts
}

// decodePublicInput reads the file of another process. Whatever could not have been written for this
// configuration and a field of this order is an error.
func decodePublicInput(text []byte, configuration *Configuration, modulus *big.Int) (*PublicInput, error) {
	object, err := parseObject(text)
	if err != nil {
		return nil, fmt.Errorf("the public input is no JSON object: %w", err)
	}
	publicInput, failure := readPublicInput(object, configuration, modulus)
	if failure != nil {
		return nil, fmt.Errorf("the public input is not the one asked for: %w", failure)
	}
	return publicInput, nil
}

func readPublicInput(object *members, configuration *Configuration, modulus *big.Int) (*PublicInput, *Failure) {
	if _, failure := object.choice("statement", []string{configuration.Statement}); failure != nil {
		return nil, failure
	}
	rounds := uint64(configuration.Rounds)
	if _, failure := object.integer("rounds", rounds, rounds); failure != nil {
		return nil, failure
	}
	given, failure := object.require("image", legalElement)
	if failure != nil {
		return nil, failure
	}
	publicInput := &PublicInput{}
	if publicInput.Image, failure = readElement(object, "image", given, modulus); failure != nil {
		return nil, failure
	}
	if publicInput.Constants, failure = readElements(object, "constants", configuration.Rounds, modulus); failure != nil {
		return nil, failure
	}
	if configuration.variant["preimage"] == "public" {
		halves, failure := readElements(object, "preimage", 2, modulus)
		if failure != nil {
			return nil, failure
		}
		publicInput.Preimage = &[2]*big.Int{halves[0], halves[1]}
	}
	return publicInput, object.finish("the public input of the variant asked for")
}

const legalElement = "a field element in canonical hexadecimal, below the order of the field"

func readElements(object *members, name string, count int, modulus *big.Int) ([]*big.Int, *Failure) {
	legal := fmt.Sprintf("an array of %d field elements", count)
	given, failure := object.require(name, legal)
	if failure != nil {
		return nil, failure
	}
	items, ok := given.([]any)
	if !ok || len(items) != count {
		return nil, object.wrong(name, given, legal)
	}
	elements := make([]*big.Int, count)
	for i, item := range items {
		if elements[i], failure = readElement(object, name, item, modulus); failure != nil {
			return nil, failure
		}
	}
	return elements, nil
}

func readElement(object *members, name string, given any, modulus *big.Int) (*big.Int, *Failure) {
	text, _ := given.(string)
	element, ok := decodeInteger(text)
	if !ok || element.Cmp(modulus) >= 0 {
		return nil, object.wrong(name, given, legalElement)
	}
	return element, nil
}
