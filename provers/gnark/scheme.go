package main

import (
	"fmt"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/kzg"
	"github.com/consensys/gnark/backend/groth16"
	"github.com/consensys/gnark/backend/plonk"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/r1cs"
	"github.com/consensys/gnark/frontend/cs/scs"
	"github.com/consensys/gnark/test/unsafekzg"

	"nizk-bench/provers/protocol-go"
)

// scheme is one of the two proof schemes of gnark.
type scheme struct {
	name       string
	properties protocol.Properties
	builder    frontend.NewBuilder

	// reference makes the reference string that circuits of a size share; nil where there is none.
	reference func(constraint.ConstraintSystem) (*reference, error)

	setup  func(constraint.ConstraintSystem, *reference) (provingKey, verifyingKey object, err error)
	prove  func(constraint.ConstraintSystem, object, witness.Witness) (object, error)
	verify func(proof, verifyingKey object, publicWitness witness.Witness) error

	// domain is the size of the domain for a circuit: what is transformed and committed to.
	domain func(constraint.ConstraintSystem) uint64

	newProof, newVerifyingKey       func(ecc.ID) object
	proofLayout, verifyingKeyLayout func(*curve, shape) layout
}

// reference is a reference string for polynomial commitments, in both of its bases.
type reference struct {
	canonical, lagrange kzg.SRS
}

var schemes = []*scheme{groth16Scheme, plonkScheme}

var groth16Scheme = &scheme{
	name: "groth16",
	properties: protocol.Properties{
		TrustedSetup: protocol.TrustedSetupPerCircuit,
		ZeroKnowledge: protocol.ZeroKnowledge{
			Level: protocol.ZeroKnowledgeYes,
			Source: "gnark v0.16.0, backend/groth16/groth16.go: \"Package groth16 implements Groth16 " +
				"Zero Knowledge Proof system (aka zkSNARK).\"",
		},
		Assumptions: "generic bilinear group, and that nobody knows the secrets of the circuit's set-up",
		BatchVerification: protocol.BatchVerification{
			Source: "gnark v0.16.0, backend/groth16/groth16.go: Verify takes one proof, and nothing in " +
				"the package takes many; std/recursion checks proofs inside another circuit",
		},
	},
	builder: r1cs.NewBuilder[constraint.U64],
	setup: func(system constraint.ConstraintSystem, _ *reference) (object, object, error) {
		provingKey, verifyingKey, err := groth16.Setup(system)
		return provingKey, verifyingKey, err
	},
	prove: func(system constraint.ConstraintSystem, provingKey object, full witness.Witness) (object, error) {
		return groth16.Prove(system, provingKey.(groth16.ProvingKey), full)
	},
	verify: func(proof, verifyingKey object, public witness.Witness) error {
		return groth16.Verify(proof.(groth16.Proof), verifyingKey.(groth16.VerifyingKey), public)
	},
	domain: func(system constraint.ConstraintSystem) uint64 {
		return ecc.NextPowerOfTwo(uint64(system.GetNbConstraints()))
	},
	newProof:        func(curve ecc.ID) object { return groth16.NewProof(curve) },
	newVerifyingKey: func(curve ecc.ID) object { return groth16.NewVerifyingKey(curve) },
	proofLayout: func(curve *curve, shape shape) layout {
		// A in G1, B in G2, C in G1; then a list of commitments and the proof that they are known,
		// which nothing would look at where there are none.
		zero := zeroBytes(groth16.NewProof(curve.id))
		list := 2*curve.g1Bytes + curve.g2Bytes
		length := len(zero) + shape.commitments*curve.g1Bytes
		if shape.commitments == 0 {
			return layout{length, []span{{list, zero[list:]}}}
		}
		return layout{length, []span{{list, listLength(shape.commitments)}}}
	},
	verifyingKeyLayout: func(curve *curve, shape shape) layout {
		// α, β, δ in G1 and β, γ, δ in G2; a list of G1, one for each public element, one for each
		// challenge that follows from a commitment, and one for 1; a list of what public elements
		// each commitment contains, none; a list of the keys of the commitments, two points of G2 each.
		list := 3*curve.g1Bytes + 3*curve.g2Bytes
		points := 1 + shape.publicElements + shape.commitments
		contained := listLength(shape.commitments)
		for range shape.commitments {
			contained = append(contained, listLength(0)...)
		}
		rest := append(contained, listLength(shape.commitments)...)
		behind := list + len(listLength(points)) + points*curve.g1Bytes
		return layout{behind + len(rest) + shape.commitments*2*curve.g2Bytes, []span{
			{list, listLength(points)},
			{behind, rest},
		}}
	},
}

var plonkScheme = &scheme{
	name: "plonk",
	properties: protocol.Properties{
		TrustedSetup: protocol.TrustedSetupUniversal,
		ZeroKnowledge: protocol.ZeroKnowledge{
			Level: protocol.ZeroKnowledgePartial,
			Source: "gnark v0.16.0, backend/plonk/plonk.go: \"Package plonk implements PLONK Zero " +
				"Knowledge Proof system.\"; backend/backend.go, of an option that is off by default and " +
				"is not set here: \"WithStatisticalZeroKnowledge ensures that statistical zero " +
				"knowledgeness is achieved.\"",
		},
		Assumptions: "algebraic group model, random oracle, and that nobody knows the secret of the " +
			"reference string",
		BatchVerification: protocol.BatchVerification{
			Source: "gnark v0.16.0, backend/plonk/plonk.go: Verify takes one proof, and nothing in the " +
				"package takes many; std/recursion checks proofs inside another circuit",
		},
	},
	builder: scs.NewBuilder[constraint.U64],
	reference: func(system constraint.ConstraintSystem) (*reference, error) {
		canonical, lagrange, err := unsafekzg.NewSRS(system)
		return &reference{canonical, lagrange}, err
	},
	setup: func(system constraint.ConstraintSystem, reference *reference) (object, object, error) {
		if reference == nil {
			return nil, nil, fmt.Errorf("there is no reference string to make keys from")
		}
		provingKey, verifyingKey, err := plonk.Setup(system, reference.canonical, reference.lagrange)
		return provingKey, verifyingKey, err
	},
	prove: func(system constraint.ConstraintSystem, provingKey object, full witness.Witness) (object, error) {
		return plonk.Prove(system, provingKey.(plonk.ProvingKey), full)
	},
	verify: func(proof, verifyingKey object, public witness.Witness) error {
		return plonk.Verify(proof.(plonk.Proof), verifyingKey.(plonk.VerifyingKey), public)
	},
	domain: func(system constraint.ConstraintSystem) uint64 {
		return ecc.NextPowerOfTwo(uint64(system.GetNbConstraints() + system.GetNbPublicVariables()))
	},
	newProof:        func(curve ecc.ID) object { return plonk.NewProof(curve) },
	newVerifyingKey: func(curve ecc.ID) object { return plonk.NewVerifyingKey(curve) },
	proofLayout: func(curve *curve, shape shape) layout {
		// Eight commitments; a list of claimed values at ζ, of the linearised polynomial, of l, r, o,
		// of two permutations and of a selector for each commitment to wires; an opening at ωζ with
		// its value; a list of the commitments to wires.
		zero := zeroBytes(plonk.NewProof(curve.id))
		claimedValues := 6 + shape.commitments
		list := len(zero) + claimedValues*curve.elementBytes - len(listLength(0))
		return layout{len(zero) + claimedValues*curve.elementBytes + shape.commitments*curve.g1Bytes, []span{
			{8 * curve.g1Bytes, listLength(claimedValues)},
			{list, listLength(shape.commitments)},
		}}
	},
	verifyingKeyLayout: func(curve *curve, shape shape) layout {
		// Marker and version of the format, size of the domain, two elements, number of public
		// elements, an element, eight commitments, then a list of the selectors of commitments to
		// wires; at the end a list of where those stand.
		const wordBytes = 8
		zero := zeroBytes(plonk.NewVerifyingKey(curve.id))
		public := 3*wordBytes + 2*curve.elementBytes
		list := public + wordBytes + curve.elementBytes + 8*curve.g1Bytes
		count := make([]byte, wordBytes)
		copy(count[wordBytes-4:], listLength(shape.publicElements))
		end := len(zero) - len(listLength(0)) + shape.commitments*curve.g1Bytes
		return layout{len(zero) + shape.commitments*(curve.g1Bytes+wordBytes), []span{
			{0, zero[:2*wordBytes]},
			{public, count},
			{list, listLength(shape.commitments)},
			{end, listLength(shape.commitments)},
		}}
	},
}
