package main

import (
	"crypto/sha256"
	"crypto/sha3"
	"fmt"
	"math/big"

	"github.com/consensys/gnark/frontend"
	gnarkhash "github.com/consensys/gnark/std/hash"
	gnarksha2 "github.com/consensys/gnark/std/hash/sha2"
	gnarksha3 "github.com/consensys/gnark/std/hash/sha3"
	"github.com/consensys/gnark/std/math/uints"

	"nizk-bench/provers/protocol-go"
)

// maximumHashDomain is the largest domain that a circuit for a hash may need, in every system:
// README.md says what it takes of memory and time.
const maximumHashDomain = 1 << 22

// ruleOfHashDomain names what is broken by a message whose circuit needs a larger one.
const ruleOfHashDomain = "domain-beyond-two-to-the-22"

// hashFunction is a function of `hash-preimage`, outside a circuit and inside one.
type hashFunction struct {
	name   string
	digest func(message []byte) [32]byte
	gadget func(frontend.API, ...gnarkhash.Option) (gnarkhash.BinaryFixedLengthHasher, error)

	// The longest message whose circuit fits maximumHashDomain, at most protocol.HashMaximumBytes.
	maximumBytes map[*scheme]int
}

// hashFunctions are those that STATEMENTS.md shares with gnark's standard library; the first one is
// the default. New256 of gnark pads as FIPS 202 does; Keccak's own padding has another name there.
var hashFunctions = []*hashFunction{
	{
		name:   protocol.SHA256,
		digest: sha256.Sum256,
		gadget: gnarksha2.New,
		// 35 blocks of 64 bytes, of which 9 are padding (FIPS 180-4, section 5.1.1), in PLONK
		maximumBytes: map[*scheme]int{groth16Scheme: protocol.HashMaximumBytes, plonkScheme: 35*64 - 9},
	},
	{
		name:   protocol.SHA3,
		digest: sha3.Sum256,
		gadget: gnarksha3.New256,
		// 10 blocks of 136 bytes, of which one is padding (FIPS 202, section B.2), in PLONK
		maximumBytes: map[*scheme]int{groth16Scheme: protocol.HashMaximumBytes, plonkScheme: 10*136 - 1},
	},
}

// hashFunctionOf is the function of a configuration.
func hashFunctionOf(configuration *protocol.Configuration) *hashFunction {
	name := configuration.Variant(protocol.HashVariantFunction)
	for _, function := range hashFunctions {
		if function.name == name {
			return function
		}
	}
	panic(fmt.Sprintf("the description of %s has no function %s", configuration.System, name))
}

// hashDescription is `hash-preimage` as every system proves it.
func hashDescription() protocol.StatementDescription {
	var names []string
	for _, function := range hashFunctions {
		names = append(names, function.name)
	}
	return protocol.StatementDescription{
		Statement: protocol.HashStatement,
		Size: protocol.SizeRange{
			Name:    protocol.HashSize,
			Minimum: protocol.HashMinimumBytes,
			Maximum: protocol.HashMaximumBytes,
			Rule:    protocol.SizeAny,
		},
		Variants: []protocol.VariantDescription{{
			Name:    protocol.HashVariantFunction,
			Values:  names,
			Default: names[0],
		}},
		Unsound: []protocol.Unsound{},
	}
}

// hashIsSupported refuses messages that are too long for a scheme.
func hashIsSupported(scheme *scheme, configuration *protocol.Configuration) error {
	function := hashFunctionOf(configuration)
	maximum := function.maximumBytes[scheme]
	if configuration.Size <= maximum {
		return nil
	}
	return protocol.Unsupported(ruleOfHashDomain, "size.bytes", fmt.Sprintf(
		"size.bytes is %d, supported for function %s in %s are at most %d, whose circuit needs a domain of at most %d",
		configuration.Size, function.name, configuration.System, maximum, maximumHashDomain))
}

// hashCircuit is `hash-preimage` (STATEMENTS.md): the digest of a secret message, each element of
// which is a byte.
type hashCircuit struct {
	Digest  [2]frontend.Variable `gnark:",public"` // its halves, big-endian
	Message []frontend.Variable

	function *hashFunction
}

// Define shows every element of the message to be a byte, hashes them and compares the halves.
func (circuit *hashCircuit) Define(api frontend.API) error {
	bytes, err := uints.NewBytes(api)
	if err != nil {
		return fmt.Errorf("make the tables of bytes: %w", err)
	}
	hasher, err := circuit.function.gadget(api)
	if err != nil {
		return fmt.Errorf("make the gadget of %s: %w", circuit.function.name, err)
	}
	message := make([]uints.U8, len(circuit.Message))
	for i, element := range circuit.Message {
		// The gadgets would check a byte where they first use it. ValueOf checks it here, and marks it
		// as checked, so that this does not rest on what a gadget does and costs nothing more.
		message[i] = bytes.ValueOf(element)
	}
	hasher.Write(message)
	digest := hasher.Sum()
	if len(digest) != sha256.Size {
		return fmt.Errorf("a digest of %s has %d bytes instead of %d", circuit.function.name, len(digest), sha256.Size)
	}
	half := len(digest) / len(circuit.Digest)
	for i, expected := range circuit.Digest {
		var composed frontend.Variable = 0
		for _, digit := range digest[i*half : (i+1)*half] {
			composed = api.Add(api.Mul(composed, 1<<8), bytes.Value(digit))
		}
		api.AssertIsEqual(expected, composed)
	}
	return nil
}

// hash implements [statement] for `hash-preimage` of one size and function.
type hash struct {
	curve    *curve
	function *hashFunction
	bytes    int
}

func newHash(system *system, configuration *protocol.Configuration) *hash {
	return &hash{system.curve, hashFunctionOf(configuration), configuration.Size}
}

// shape implements [statement]: the halves, and the one commitment from which gnark derives the
// challenges of all tables.
func (hash *hash) shape() shape { return shape{publicElements: 2, commitments: 1} }

// assignPublic implements [statement].
func (hash *hash) assignPublic(given protocol.PublicInput) (frontend.Circuit, error) {
	halves := given.(*protocol.HashPublicInput).Halves()
	return &hashCircuit{Digest: [2]frontend.Variable(hash.curve.elements(halves[:]))}, nil
}

// instances implements [statement].
func (hash *hash) instances(seed protocol.Seed) instances { return &hashInstances{hash, seed} }

// hashInstances implements [instances].
type hashInstances struct {
	hash *hash
	seed protocol.Seed
}

// source implements [instances].
func (instances *hashInstances) source() frontend.Circuit {
	return &hashCircuit{
		Message:  make([]frontend.Variable, instances.hash.bytes),
		function: instances.hash.function,
	}
}

// derive implements [instances].
func (instances *hashInstances) derive(index uint64) (frontend.Circuit, protocol.PublicInput) {
	curve := instances.hash.curve
	message := protocol.HashMessage(instances.seed, index, instances.hash.bytes)
	publicInput := &protocol.HashPublicInput{Digest: instances.hash.function.digest(message)}
	halves := publicInput.Halves()
	assignment := &hashCircuit{
		Digest:  [2]frontend.Variable(curve.elements(halves[:])),
		Message: make([]frontend.Variable, len(message)),
	}
	for i, value := range message {
		assignment.Message[i] = curve.element(big.NewInt(int64(value)))
	}
	return assignment, publicInput
}
