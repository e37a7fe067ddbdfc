package protocol

import (
	"fmt"
	"math/big"
)

// PublicInput is the public input of one statement: a [*MimcPublicInput], a [*HashPublicInput] or a
// [*RangePublicInput].
type PublicInput interface {
	// encode writes the file of STATEMENTS.md.
	encode(configuration *Configuration) ([]byte, error)

	// constantsOfKey are the constants that a verifying key is bound to by its header; none where the
	// circuit has not fixed any.
	constantsOfKey(configuration *Configuration) []*big.Int
}

// statement is what this package knows of a statement of STATEMENTS.md.
type statement struct {
	size string // its name

	// read reads the members of a file that belong to this statement alone; a member that it leaves
	// is unknown. What could not have been written for this configuration and a field of this order
	// is a failure.
	read func(object *members, configuration *Configuration, modulus *big.Int) (PublicInput, *Failure)
}

var statements = map[string]statement{
	MimcStatement:  {MimcSize, readMimcPublicInput},
	HashStatement:  {HashSize, readHashPublicInput},
	RangeStatement: {RangeSize, readRangePublicInput},
}

// decodePublicInput reads the file of another process. Whatever could not have been written for this
// configuration and a field of this order is an error.
func decodePublicInput(text []byte, configuration *Configuration, modulus *big.Int) (PublicInput, error) {
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

func readPublicInput(object *members, configuration *Configuration, modulus *big.Int) (PublicInput, *Failure) {
	if _, failure := object.choice("statement", []string{configuration.Statement}); failure != nil {
		return nil, failure
	}
	publicInput, failure := statements[configuration.Statement].read(object, configuration, modulus)
	if failure != nil {
		return nil, failure
	}
	if failure := object.finish("the public input of the variant asked for"); failure != nil {
		return nil, failure
	}
	return publicInput, nil
}

func encodeIntegers(values []*big.Int) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = encodeInteger(value)
	}
	return texts
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
