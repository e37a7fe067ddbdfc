package main

import (
	"fmt"
	"math/big"

	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
)

// circuit is `mimc-preimage` (STATEMENTS.md): the left half of (l, r) ↦ (r + (l + c)³, l), carried
// through all rounds from a secret preimage, is the image.
type circuit struct {
	Image     frontend.Variable   `gnark:",public"`
	Constants []frontend.Variable `gnark:",public"` // under `constants=public`, else empty
	Left      frontend.Variable
	Right     frontend.Variable

	fixed []*big.Int // the constants under `constants=fixed`
	fused bool       // whether a round ends in a [productPlus]
}

// Define adds two constraints a round to an R1CS and four gates to a PLONK system, and one that
// compares the image.
func (circuit *circuit) Define(api frontend.API) error {
	next := func(square, base, right frontend.Variable) (frontend.Variable, error) {
		return api.Add(right, api.Mul(square, base)), nil
	}
	if circuit.fused {
		next = fusedProducts(api)
	}
	left, right := circuit.Left, circuit.Right
	for round := range len(circuit.Constants) + len(circuit.fixed) {
		var constant frontend.Variable
		if len(circuit.fixed) > 0 {
			constant = circuit.fixed[round]
		} else {
			constant = circuit.Constants[round]
		}
		base := api.Add(left, constant)
		sum, err := next(api.Mul(base, base), base, right)
		if err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		left, right = sum, left
	}
	api.AssertIsEqual(circuit.Image, left)
	return nil
}

// productPlus is the R1CS constraint a · b = w − c, with w a wire of its own.
//
// The frontend's own Mul makes a wire of the product alone, so that w is the sum w = a · b + c: a
// linear combination. The next round but one adds to it, and so on: after n rounds the combinations
// have O(n) terms and the circuit O(n²), cut short only where the frontend spends a constraint on an
// overlong one. With w a wire every combination has at most two terms and a constant.
type productPlus struct {
	constraint.BlueprintGenericR1C
}

// NbOutputs is one: w.
func (*productPlus) NbOutputs(constraint.Instruction) int { return 1 }

// DecompressR1C adds w to −c, which is all that the instruction holds of the right side: what number
// w has is known only once the instruction stands.
func (product *productPlus) DecompressR1C(into *constraint.R1C, instruction constraint.Instruction) {
	product.BlueprintGenericR1C.DecompressR1C(into, instruction)
	into.O = append(into.O, constraint.Term{CID: constraint.CoeffIdOne, VID: instruction.WireOffset})
}

// UpdateInstructionTree places w on the level on which all that it depends on is known.
func (product *productPlus) UpdateInstructionTree(instruction constraint.Instruction, tree constraint.InstructionTree) constraint.Level {
	level := product.BlueprintGenericR1C.UpdateInstructionTree(instruction, tree)
	tree.InsertWire(instruction.WireOffset, level)
	return level
}

// fusedProducts returns a function that adds a constraint a · b = w − c and returns w.
func fusedProducts(api frontend.API) func(a, b, c frontend.Variable) (frontend.Variable, error) {
	compiler := api.Compiler()
	product := &productPlus{}
	blueprint := compiler.AddBlueprint(product)
	return func(a, b, c frontend.Variable) (frontend.Variable, error) {
		var sides [3]constraint.LinearExpression
		for i, side := range []frontend.Variable{a, b, api.Neg(c)} {
			expression, ok := compiler.ToCanonicalVariable(side).(constraint.LinearExpression)
			if !ok {
				return nil, fmt.Errorf("a %T is no linear combination of wires", side)
			}
			sides[i] = expression
		}
		var calldata []uint32
		product.CompressR1C(&constraint.R1C{L: sides[0], R: sides[1], O: sides[2]}, &calldata)
		wires := compiler.AddInstruction(blueprint, calldata)
		return compiler.InternalVariable(wires[0]), nil
	}
}
