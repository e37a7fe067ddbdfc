package main

import (
	"fmt"
	"io"
	"math/big"

	"github.com/consensys/gnark/backend/witness"
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

// system is a scheme over a curve.
type system struct {
	scheme *scheme
	curve  *curve
}

func systems() []protocol.System {
	var all []protocol.System
	for _, scheme := range schemes {
		for _, curve := range curves {
			all = append(all, &system{scheme, curve})
		}
	}
	return all
}

// Description implements [protocol.System].
func (system *system) Description() *protocol.SystemDescription {
	variants := []protocol.VariantDescription{{
		Name:    variantConstants,
		Values:  []string{constantsFixed, constantsPublic},
		Default: constantsFixed,
	}}
	if system.scheme == groth16Scheme {
		// The gates of PLONK have three wires each: no linear combination can grow.
		variants = append(variants, protocol.VariantDescription{
			Name:    variantGadget,
			Values:  []string{constantTerms, growingTerms},
			Default: constantTerms,
		})
	}
	return &protocol.SystemDescription{
		System:     "gnark/" + system.scheme.name + "/" + system.curve.name,
		Scheme:     system.scheme.name,
		Curve:      &system.curve.name,
		Field:      system.curve.scalarField().Description(system.curve.field),
		Properties: system.scheme.properties,
		Phases: []protocol.TimedPhase{
			{Phase: protocol.Compile, Includes: []protocol.Phase{}},
			{Phase: protocol.Setup, Includes: []protocol.Phase{}},
			{Phase: protocol.Prove, Includes: []protocol.Phase{protocol.Witness}},
			{Phase: protocol.Verify, Includes: []protocol.Phase{}},
		},
		AbsentPhases: []protocol.AbsentPhase{},
		Threads:      protocol.Threads{Minimum: 1, How: protocol.ThreadsHow},
		ProofSize:    protocol.ProofSizeConstant,
		Statements: []protocol.StatementDescription{{
			Statement: protocol.MimcStatement,
			Size: protocol.SizeRange{
				Name:    protocol.MimcSize,
				Minimum: protocol.MimcMinimumRounds,
				Maximum: protocol.MimcMaximumRounds,
				Rule:    protocol.SizeAny,
			},
			Variants: variants,
			Unsound:  []protocol.Unsound{},
		}},
		Options:   []protocol.OptionDescription{},
		Malleable: []protocol.Malleable{},
	}
}

// Open implements [protocol.System].
func (system *system) Open(configuration *protocol.Configuration, seed protocol.Seed) (protocol.Session, error) {
	constants := system.curve.scalarField().MimcConstants(seed, configuration.Rounds)
	session := &session{
		system:    system,
		seed:      seed,
		constants: constants,
		fused:     system.scheme == groth16Scheme && configuration.Variant(variantGadget) == constantTerms,
		public:    []frontend.Variable{},
		layout:    system.scheme.proofLayout(system.curve, publicElements(configuration)),
	}
	if configuration.Variant(variantConstants) == constantsPublic {
		session.public = system.curve.elements(constants)
	}
	return session, nil
}

// publicElements is the number of field elements a verifier is given.
func publicElements(configuration *protocol.Configuration) int {
	if configuration.Variant(variantConstants) == constantsPublic {
		return 1 + configuration.Rounds
	}
	return 1
}

// session implements [protocol.Session].
type session struct {
	system    *system
	seed      protocol.Seed
	constants []*big.Int
	public    []frontend.Variable // the constants again, where they are public input, else empty
	fused     bool
	layout    layout // of a proof

	compiled                 constraint.ConstraintSystem
	reference                *reference
	provingKey, verifyingKey object

	image      *big.Int
	assignment *circuit
	proof      object
	serialised []byte
}

// Compile implements [protocol.Compiler].
func (session *session) Compile() error {
	source := &circuit{Constants: make([]frontend.Variable, len(session.public)), fused: session.fused}
	if len(session.public) == 0 {
		source.fixed = session.constants
	}
	compiled, err := frontend.Compile(session.system.curve.id.ScalarField(), session.system.scheme.builder, source)
	if err != nil {
		return fmt.Errorf("compile the circuit: %w", err)
	}
	session.compiled = compiled
	return nil
}

// Prepare implements [protocol.Preparer]. A reference string belongs to a size and not to a circuit;
// in use it would be there before.
func (session *session) Prepare() (err error) {
	if session.system.scheme.reference == nil {
		return nil
	}
	session.reference, err = session.system.scheme.reference(session.compiled)
	if err != nil {
		return fmt.Errorf("make a reference string: %w", err)
	}
	return nil
}

// Setup implements [protocol.KeyMaker].
func (session *session) Setup() (err error) {
	session.provingKey, session.verifyingKey, err = session.system.scheme.setup(session.compiled, session.reference)
	if err != nil {
		return fmt.Errorf("make the keys: %w", err)
	}
	return nil
}

// LoadInstance implements [protocol.Session].
func (session *session) LoadInstance(index uint64) error {
	session.proof, session.serialised = nil, nil
	curve := session.system.curve
	left, right := curve.scalarField().MimcPreimage(session.seed, index)
	session.image = curve.scalarField().MimcImage(session.constants, left, right)
	session.assignment = &circuit{
		Image:     curve.element(session.image),
		Constants: session.public,
		Left:      curve.element(left),
		Right:     curve.element(right),
	}
	return nil
}

// Prove implements [protocol.Session].
func (session *session) Prove() error {
	full, err := session.fullWitness()
	if err != nil {
		return err
	}
	session.proof, err = session.system.scheme.prove(session.compiled, session.provingKey, full)
	if err != nil {
		return fmt.Errorf("prove: %w", err)
	}
	session.serialised, err = serialise(session.proof)
	return err
}

func (session *session) fullWitness() (witness.Witness, error) {
	full, err := frontend.NewWitness(session.assignment, session.system.curve.id.ScalarField())
	if err != nil {
		return nil, fmt.Errorf("make the witness: %w", err)
	}
	return full, nil
}

// Verify implements [protocol.Session].
func (session *session) Verify() (protocol.Verdict, error) {
	verifier := &verifier{system: session.system, key: session.verifyingKey, layout: session.layout}
	return verifier.judge(session.assignment, session.serialised), nil
}

// Proof implements [protocol.Session].
func (session *session) Proof() []byte { return session.serialised }

// VerifyingKey implements [protocol.Session].
func (session *session) VerifyingKey() ([]byte, error) { return serialise(session.verifyingKey) }

// PublicInput implements [protocol.Session].
func (session *session) PublicInput() *protocol.PublicInput {
	return &protocol.PublicInput{Image: session.image, Constants: session.constants}
}

// Sizes implements [protocol.Session].
func (session *session) Sizes() ([]protocol.Size, error) {
	full, err := session.fullWitness()
	if err != nil {
		return nil, err
	}
	public, err := full.Public()
	if err != nil {
		return nil, fmt.Errorf("take the public part of the witness: %w", err)
	}
	var sizes []protocol.Size
	for _, size := range []struct {
		of       protocol.SizeOf
		encoding protocol.Encoding
		write    func(io.Writer) (int64, error)
	}{
		{protocol.SizeOfProof, protocol.Compressed, session.proof.WriteTo},
		{protocol.SizeOfProof, protocol.Uncompressed, session.proof.WriteRawTo},
		{protocol.SizeOfVerifyingKey, protocol.Compressed, session.verifyingKey.WriteTo},
		{protocol.SizeOfVerifyingKey, protocol.Uncompressed, session.verifyingKey.WriteRawTo},
		{protocol.SizeOfProvingKey, protocol.Compressed, session.provingKey.WriteTo},
		{protocol.SizeOfProvingKey, protocol.Uncompressed, session.provingKey.WriteRawTo},
		{protocol.SizeOfPublicInput, protocol.Native, public.WriteTo},
		{protocol.SizeOfWitness, protocol.Native, full.WriteTo},
	} {
		written, err := bytesWritten(size.write)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, protocol.Size{Of: size.of, Encoding: size.encoding, Bytes: written})
	}
	return sizes, nil
}

// Counters implements [protocol.Session].
func (session *session) Counters() []protocol.Counter {
	internal, secret, public := session.compiled.GetNbVariables()
	counters := []protocol.Counter{
		{Name: "constraints", Value: float64(session.compiled.GetNbConstraints())},
		{Name: "variables", Value: float64(internal + secret + public)},
		{Name: "domain", Value: float64(session.system.scheme.domain(session.compiled))},
	}
	if compiled, ok := session.compiled.(constraint.R1CS[constraint.U64]); ok && session.system.scheme == groth16Scheme {
		terms := 0
		constraints := compiled.GetR1CIterator()
		for next := constraints.Next(); next != nil; next = constraints.Next() {
			terms += len(next.L) + len(next.R) + len(next.O)
		}
		counters = append(counters, protocol.Counter{Name: "terms", Value: float64(terms)})
	}
	return counters
}

// Verifier implements [protocol.System].
func (system *system) Verifier(configuration *protocol.Configuration, verifyingKey []byte) (protocol.Verifier, error) {
	elements := publicElements(configuration)
	key := system.scheme.newVerifyingKey(system.curve.id)
	if err := deserialise(key, verifyingKey, system.scheme.verifyingKeyLayout(system.curve, elements)); err != nil {
		return nil, fmt.Errorf("the verifying key is not one: %w", err)
	}
	return &verifier{
		system:         system,
		key:            key,
		layout:         system.scheme.proofLayout(system.curve, elements),
		takesConstants: elements > 1,
	}, nil
}

// verifier implements [protocol.Verifier].
type verifier struct {
	system         *system
	key            object
	layout         layout
	takesConstants bool // where they are fixed, the key is bound to them
}

// Verify implements [protocol.Verifier].
func (verifier *verifier) Verify(publicInput *protocol.PublicInput, proof []byte) protocol.Verdict {
	assignment := &circuit{
		Image:     verifier.system.curve.element(publicInput.Image),
		Constants: []frontend.Variable{},
	}
	if verifier.takesConstants {
		assignment.Constants = verifier.system.curve.elements(publicInput.Constants)
	}
	return verifier.judge(assignment, proof)
}

// judge judges a serialised proof against the public part of an assignment.
func (verifier *verifier) judge(assignment *circuit, serialised []byte) protocol.Verdict {
	public, err := frontend.NewWitness(assignment, verifier.system.curve.id.ScalarField(), frontend.PublicOnly())
	if err != nil {
		return protocol.Reject(fmt.Sprintf("the public input is no witness: %v", err))
	}
	proof := verifier.system.scheme.newProof(verifier.system.curve.id)
	if err := deserialise(proof, serialised, verifier.layout); err != nil {
		return protocol.Reject(fmt.Sprintf("the proof is not one: %v", err))
	}
	if err := verifier.system.scheme.verify(proof, verifier.key, public); err != nil {
		return protocol.Reject(fmt.Sprintf("the proof does not verify: %v", err))
	}
	return protocol.Accept()
}
