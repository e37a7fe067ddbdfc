package main

import (
	"math/big"

	"nizk-bench/provers/protocol-go"
)

// The two functions that only the library can carry out. Everything else is system.go.

// instance is what is proven: that somebody knows the preimage of the image under these constants.
type instance struct {
	constants   []*big.Int // one for each round
	left, right *big.Int   // the preimage, the prover's alone
	image       *big.Int
}

// prove makes the serialised proof of an instance; timed as `prove`.
func prove(instance) ([]byte, error) {
	return nil, protocol.Unsupported("not-implemented", "system",
		"proving is not implemented yet: write the function prove in provers/newcomer/scheme.go")
}

// verify judges a serialised proof; timed as `verify`. The bytes are not to be trusted: a proof that
// cannot be read is a rejection, and so are bytes left over behind it.
func verify(_ *protocol.MimcPublicInput, _ []byte) protocol.Verdict {
	return protocol.Reject("verifying is not implemented yet: write the function verify in provers/newcomer/scheme.go")
}
