package main

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/twistededwards"
	"github.com/consensys/gnark/frontend"
	native "github.com/consensys/gnark/std/algebra/native/twistededwards"

	"nizk-bench/provers/protocol-go"
)

// jubjub is a point of Jubjub, which gnark-crypto calls the twisted Edwards curve of BLS12-381; its
// coordinates u and v are X and Y there.
type jubjub = twistededwards.PointAffine

// jubjubOrder is the order of the subgroup, below 2^252.
func jubjubOrder() *big.Int {
	parameters := twistededwards.GetEdwardsCurve()
	return new(big.Int).Set(&parameters.Order)
}

// encodeJubjub encodes a point as STATEMENTS.md says: v in 255 bits, then the parity of u.
// gnark-crypto's own encoding has another sign.
func encodeJubjub(point *jubjub) [32]byte {
	u, v := point.X.Bytes(), point.Y.Bytes()
	slices.Reverse(v[:])
	v[31] |= u[31] & 1 << 7
	return v
}

// decodeJubjub decodes a point of the curve, of whatever order; an error says that an encoding is not
// canonical or of no point.
func decodeJubjub(encoded [32]byte) (*jubjub, error) {
	odd := encoded[31]>>7 == 1
	encoded[31] &= 0x7f
	slices.Reverse(encoded[:])
	var point jubjub
	if err := point.Y.SetBytesCanonical(encoded[:]); err != nil {
		return nil, fmt.Errorf("a coordinate of a commitment is not reduced: %w", err)
	}
	// u² = (v² − 1) / (1 + d v²)
	parameters := twistededwards.GetEdwardsCurve()
	var one, square, above, below fr.Element
	one.SetOne()
	square.Square(&point.Y)
	above.Sub(&square, &one)
	below.Mul(&parameters.D, &square).Add(&below, &one)
	if point.X.Sqrt(above.Div(&above, &below)) == nil {
		return nil, fmt.Errorf("a commitment encodes no point of Jubjub")
	}
	if isOdd(&point.X) != odd {
		point.X.Neg(&point.X)
	}
	if isOdd(&point.X) != odd {
		return nil, fmt.Errorf("a commitment encodes a sign of zero")
	}
	return &point, nil
}

func isOdd(element *fr.Element) bool {
	encoded := element.Bytes()
	return encoded[31]&1 == 1
}

// jubjubGenerator is the generator of this name: eight times the first point whose v is one of the
// elements of its label, with an even u.
func jubjubGenerator(name string) *jubjub {
	field := protocol.Field{Modulus: fr.Modulus()}
	for index := uint64(0); ; index++ {
		var encoded [32]byte
		field.RangeGenerator(name, index).FillBytes(encoded[:])
		slices.Reverse(encoded[:])
		point, err := decodeJubjub(encoded)
		if err != nil {
			continue // as for half of all elements
		}
		multiple := new(jubjub).ScalarMultiplication(point, big.NewInt(8))
		if !multiple.IsZero() {
			return multiple
		}
	}
}

// window is how many bits are looked up together.
const window = 3

// jubjubTable is the multiples 0 to 7 of a point, of eight times it, and so on.
type jubjubTable [][1 << window]jubjub

// newJubjubTable makes the table for factors of so many bits.
func newJubjubTable(generator *jubjub, bits int) jubjubTable {
	table := make(jubjubTable, (bits+window-1)/window)
	base := *generator
	for i := range table {
		var multiple jubjub
		multiple.Y.SetOne()
		for k := range table[i] {
			table[i][k] = multiple
			multiple.Add(&multiple, &base)
		}
		base = multiple
	}
	return table
}

// combination adds multiples of fixed points in a circuit. gnark multiplies points that vary alone;
// this looks three bits up at a time and adds with gnark's gadget, which is the construction that the
// circuit of the runner `bellman` has too.
type combination struct {
	api   frontend.API
	curve native.Curve
	sum   *native.Point
}

// add adds a multiple; the bits of the factor are from the least significant on.
func (combination *combination) add(table jubjubTable, bits []frontend.Variable) {
	for i := range table {
		chosen := bits[i*window : min((i+1)*window, len(bits))]
		point := combination.lookUp(&table[i], chosen)
		if combination.sum == nil {
			combination.sum = &point
			continue
		}
		sum := combination.curve.Add(*combination.sum, point)
		combination.sum = &sum
	}
}

func (combination *combination) lookUp(points *[1 << window]jubjub, bits []frontend.Variable) native.Point {
	api := combination.api
	padded := [window]frontend.Variable{0, 0, 0}
	copy(padded[:], bits)
	products := []frontend.Variable{1, padded[0], padded[1], api.Mul(padded[0], padded[1])}
	coordinate := func(of func(*jubjub) *fr.Element) frontend.Variable {
		value := func(k int) *big.Int { return of(&points[k]).BigInt(new(big.Int)) }
		// The value for bits b₀, b₁, b₂ as a polynomial in them: without b₂, and what b₂ multiplies.
		without := interpolated(value(0), value(1), value(2), value(3))
		with := interpolated(value(4), value(5), value(6), value(7))
		var low, difference frontend.Variable = 0, 0
		for i, product := range products {
			low = api.Add(low, api.Mul(product, without[i]))
			difference = api.Add(difference, api.Mul(product, with[i].Sub(with[i], without[i])))
		}
		return api.Add(low, api.Mul(padded[2], difference))
	}
	return native.Point{
		X: coordinate(func(point *jubjub) *fr.Element { return &point.X }),
		Y: coordinate(func(point *jubjub) *fr.Element { return &point.Y }),
	}
}

// interpolated are the coefficients of 1, b₀, b₁ and b₀b₁ of the polynomial that takes these values at
// 00, 10, 01 and 11.
func interpolated(at00, at10, at01, at11 *big.Int) [4]*big.Int {
	first := new(big.Int).Sub(at10, at00)
	second := new(big.Int).Sub(at01, at00)
	both := new(big.Int).Sub(at11, at01)
	both.Sub(both, first)
	return [4]*big.Int{at00, first, second, both}
}
