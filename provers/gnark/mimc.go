package main

import (
	"fmt"
	"math/big"

	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"

	"nizk-bench/provers/protocol-go"
)

// Variants of the statement and their values.
const (
	variantConstants = "constants"
	constantsFixed   = "fixed"
	constantsPublic  = "public"

	variantGadget = "gadget"
	constantTerms = "constant-terms"
	growingTerms  = "growing-terms"
)

// mimcDescription is `mimc-preimage` as a scheme proves it.
func mimcDescription(scheme *scheme) protocol.StatementDescription {
	variants := []protocol.VariantDescription{{
		Name:    variantConstants,
		Values:  []string{constantsFixed, constantsPublic},
		Default: constantsFixed,
	}}
	if scheme == groth16Scheme {
		// The gates of PLONK have three wires each: no linear combination can grow.
		variants = append(variants, protocol.VariantDescription{
			Name:    variantGadget,
			Values:  []string{constantTerms, growingTerms},
			Default: constantTerms,
		})
	}
	return protocol.StatementDescription{
		Statement: protocol.MimcStatement,
		Size: protocol.SizeRange{
			Name:    protocol.MimcSize,
			Minimum: protocol.MimcMinimumRounds,
			Maximum: protocol.MimcMaximumRounds,
			Rule:    protocol.SizeAny,
		},
		Variants: variants,
		Unsound:  []protocol.Unsound{},
	}
}

// mimc is `mimc-preimage` of one size and variant.
type mimc struct {
	curve  *curve
	rounds int
	public bool // whether the constants are public input
	fused  bool
}

func newMimc(system *system, configuration *protocol.Configuration) *mimc {
	return &mimc{
		curve:  system.curve,
		rounds: configuration.Size,
		public: configuration.Variant(variantConstants) == constantsPublic,
		fused:  system.scheme == groth16Scheme && configuration.Variant(variantGadget) == constantTerms,
	}
}

// shape implements [statement]: the image, and the constants where they are public.
func (mimc *mimc) shape() shape {
	if mimc.public {
		return shape{publicElements: 1 + mimc.rounds}
	}
	return shape{publicElements: 1}
}

// assignPublic implements [statement].
func (mimc *mimc) assignPublic(given protocol.PublicInput) (frontend.Circuit, error) {
	publicInput := given.(*protocol.MimcPublicInput)
	assignment := &mimcCircuit{Image: mimc.curve.element(publicInput.Image), Constants: []frontend.Variable{}}
	if mimc.public {
		assignment.Constants = mimc.curve.elements(publicInput.Constants)
	}
	return assignment, nil
}

// instances implements [statement].
func (mimc *mimc) instances(seed protocol.Seed) instances {
	derived := &mimcInstances{
		mimc:      mimc,
		seed:      seed,
		constants: mimc.curve.scalarField().MimcConstants(seed, mimc.rounds),
		public:    []frontend.Variable{},
	}
	if mimc.public {
		derived.public = mimc.curve.elements(derived.constants)
	}
	return derived
}

// mimcInstances implements [instances].
type mimcInstances struct {
	mimc      *mimc
	seed      protocol.Seed
	constants []*big.Int
	public    []frontend.Variable // the constants again, where they are public input, else empty
}

// source implements [instances].
func (instances *mimcInstances) source() frontend.Circuit {
	source := &mimcCircuit{Constants: make([]frontend.Variable, len(instances.public)), fused: instances.mimc.fused}
	if !instances.mimc.public {
		source.fixed = instances.constants
	}
	return source
}

// derive implements [instances].
func (instances *mimcInstances) derive(index uint64) (frontend.Circuit, protocol.PublicInput) {
	curve := instances.mimc.curve
	left, right := curve.scalarField().MimcPreimage(instances.seed, index)
	image := curve.scalarField().MimcImage(instances.constants, left, right)
	assignment := &mimcCircuit{
		Image:     curve.element(image),
		Constants: instances.public,
		Left:      curve.element(left),
		Right:     curve.element(right),
	}
	return assignment, &protocol.MimcPublicInput{Image: image, Constants: instances.constants}
}

// mimcCircuit is `mimc-preimage` (STATEMENTS.md): the left half of (l, r) ↦ (r + (l + c)³, l), carried
// through all rounds from a secret preimage, is the image.
type mimcCircuit struct {
	Image     frontend.Variable   `gnark:",public"`
	Constants []frontend.Variable `gnark:",public"` // under `constants=public`, else empty
	Left      frontend.Variable
	Right     frontend.Variable

	fixed []*big.Int // the constants under `constants=fixed`
	fused bool       // whether a round ends in a [productPlus]
}

// Define adds two constraints a round to an R1CS and four gates to a PLONK system, and one that
// compares the image.
func (circuit *mimcCircuit) Define(api frontend.API) error {
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
