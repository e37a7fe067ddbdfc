package main

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc"
	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	bls12381fr "github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254"
	bn254fr "github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"nizk-bench/provers/protocol-go"
)

// curve is a pairing-friendly curve; statements live in its scalar field.
type curve struct {
	id    ecc.ID
	name  string
	field string // name of the scalar field in data/vectors

	// element makes an element of the library's own type of an integer below the order.
	element func(*big.Int) frontend.Variable

	elementBytes, g1Bytes, g2Bytes int // serialised, points compressed
}

var curves = []*curve{
	{
		id:           ecc.BLS12_381,
		name:         "bls12-381",
		field:        "bls12-381-fr",
		element:      func(value *big.Int) frontend.Variable { return *new(bls12381fr.Element).SetBigInt(value) },
		elementBytes: bls12381fr.Bytes,
		g1Bytes:      bls12381.SizeOfG1AffineCompressed,
		g2Bytes:      bls12381.SizeOfG2AffineCompressed,
	},
	{
		id:           ecc.BN254,
		name:         "bn254",
		field:        "bn254-fr",
		element:      func(value *big.Int) frontend.Variable { return *new(bn254fr.Element).SetBigInt(value) },
		elementBytes: bn254fr.Bytes,
		g1Bytes:      bn254.SizeOfG1AffineCompressed,
		g2Bytes:      bn254.SizeOfG2AffineCompressed,
	},
}

func (curve *curve) scalarField() protocol.Field {
	return protocol.Field{Modulus: curve.id.ScalarField()}
}

func (curve *curve) elements(values []*big.Int) []frontend.Variable {
	elements := make([]frontend.Variable, len(values))
	for i, value := range values {
		elements[i] = curve.element(value)
	}
	return elements
}
