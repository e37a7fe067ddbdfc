package protocol

import (
	"math/big"
	"slices"
	"strconv"
)

// The statement `hash-preimage`, its size and its variant, as STATEMENTS.md defines them.
const (
	HashStatement       = "hash-preimage"
	HashSize            = "bytes"
	HashMinimumBytes    = 1
	HashMaximumBytes    = 4096
	HashVariantFunction = "function"
)

// The functions of STATEMENTS.md, values of the variant `function`. The first three hash bytes, the
// others elements of the scalar field of BN254.
const (
	SHA256     = "sha256"
	SHA3       = "sha3-256"
	Blake2s    = "blake2s"
	MimcSponge = "mimc-sponge"
	Mimc7      = "mimc-7"
	Poseidon   = "poseidon"
)

var hashFunctionsOverElements = []string{MimcSponge, Mimc7, Poseidon}

// HashMessage returns the message of an instance: the first `bytes` of the digests of the labels
// `hash/message/0`, `hash/message/1` and so on.
func HashMessage(seed Seed, index uint64, bytes int) []byte {
	var message []byte
	for block := 0; len(message) < bytes; block++ {
		digest := seed.Digest("hash/message/"+strconv.Itoa(block), index)
		message = append(message, digest[:]...)
	}
	return slices.Clip(message[:bytes])
}

// HashPublicInput is the public input of `hash-preimage`.
type HashPublicInput struct {
	// The digest. That of a function over elements is one, big-endian and below the order of the
	// field.
	Digest [32]byte
}

// Halves are the two elements as which a circuit is given a digest of bytes: its first and its last
// 16 bytes, big-endian.
func (publicInput *HashPublicInput) Halves() [2]*big.Int {
	return [2]*big.Int{
		new(big.Int).SetBytes(publicInput.Digest[:16]),
		new(big.Int).SetBytes(publicInput.Digest[16:]),
	}
}

// hashPublicInputFile is the file of STATEMENTS.md.
type hashPublicInputFile struct {
	Statement string `json:"statement"`
	Function  string `json:"function"`
	Bytes     int    `json:"bytes"`
	Digest    string `json:"digest"`
}

func (publicInput *HashPublicInput) encode(configuration *Configuration) ([]byte, error) {
	return marshal(hashPublicInputFile{
		Statement: configuration.Statement,
		Function:  configuration.Variant(HashVariantFunction),
		Bytes:     configuration.Size,
		Digest:    encodeBytes(publicInput.Digest[:]),
	})
}

// constantsOfKey is nobody's: the statement has no constants of its own.
func (publicInput *HashPublicInput) constantsOfKey(*Configuration) []*big.Int { return nil }

func readHashPublicInput(object *members, configuration *Configuration, modulus *big.Int) (PublicInput, *Failure) {
	function := configuration.Variant(HashVariantFunction)
	if _, failure := object.choice("function", []string{function}); failure != nil {
		return nil, failure
	}
	size := uint64(configuration.Size)
	if _, failure := object.integer("bytes", size, size); failure != nil {
		return nil, failure
	}
	publicInput := &HashPublicInput{}
	legal := "64 lower-case hexadecimal digits"
	overElements := slices.Contains(hashFunctionsOverElements, function)
	if overElements {
		legal += " of an integer below the order of the field"
	}
	text, failure := object.text("digest", legal)
	if failure != nil {
		return nil, failure
	}
	digest := new(big.Int)
	if !decodeBytes(text, publicInput.Digest[:]) ||
		overElements && digest.SetBytes(publicInput.Digest[:]).Cmp(modulus) >= 0 {
		return nil, object.wrong("digest", text, legal)
	}
	return publicInput, nil
}
