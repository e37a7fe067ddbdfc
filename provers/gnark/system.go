package main

import (
	"fmt"
	"io"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"

	"nizk-bench/provers/protocol-go"
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
		Statements:   system.statements(),
		Options:      []protocol.OptionDescription{},
		Malleable:    []protocol.Malleable{},
	}
}

// statements are all, but for ranges, whose group is on a curve over the scalar field of BLS12-381.
func (system *system) statements() []protocol.StatementDescription {
	statements := []protocol.StatementDescription{mimcDescription(system.scheme), hashDescription()}
	if system.curve.id == ecc.BLS12_381 {
		statements = append(statements, protocol.RangeDescription(protocol.SizeAny))
	}
	return statements
}

// Legal implements [protocol.Restricted].
func (system *system) Legal(configuration *protocol.Configuration) error {
	if configuration.Statement == protocol.HashStatement {
		return hashIsSupported(system.scheme, configuration)
	}
	return nil
}

// Open implements [protocol.System].
func (system *system) Open(configuration *protocol.Configuration, seed protocol.Seed) (protocol.Session, error) {
	return newSession(system, statementOf(system, configuration), seed), nil
}

// session implements [protocol.Session].
type session struct {
	system    *system
	statement statement
	instances instances
	layout    layout // of a proof

	compiled                 constraint.ConstraintSystem
	reference                *reference
	provingKey, verifyingKey object

	assignment  frontend.Circuit
	publicInput protocol.PublicInput
	proof       object
	serialised  []byte
}

func newSession(system *system, statement statement, seed protocol.Seed) *session {
	return &session{
		system:    system,
		statement: statement,
		instances: statement.instances(seed),
		layout:    system.scheme.proofLayout(system.curve, statement.shape()),
	}
}

// Compile implements [protocol.Compiler].
func (session *session) Compile() error {
	compiled, err := frontend.Compile(session.system.curve.id.ScalarField(), session.system.scheme.builder, session.instances.source())
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
	session.assignment, session.publicInput = session.instances.derive(index)
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
	verifier := &verifier{session.system, session.statement, session.verifyingKey, session.layout}
	if session.statement.shape().encodedBytes > 0 {
		return verifier.Verify(session.publicInput, session.serialised), nil
	}
	return verifier.judge(session.assignment, session.serialised), nil
}

// Proof implements [protocol.Session].
func (session *session) Proof() []byte { return session.serialised }

// VerifyingKey implements [protocol.Session].
func (session *session) VerifyingKey() ([]byte, error) { return serialise(session.verifyingKey) }

// PublicInput implements [protocol.Session].
func (session *session) PublicInput() protocol.PublicInput { return session.publicInput }

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
		if encoded := session.statement.shape().encodedBytes; size.of == protocol.SizeOfPublicInput && encoded > 0 {
			written = int64(encoded)
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
	return newVerifier(system, statementOf(system, configuration), verifyingKey)
}

// verifier implements [protocol.Verifier].
type verifier struct {
	system    *system
	statement statement
	key       object
	layout    layout
}

func newVerifier(system *system, statement statement, verifyingKey []byte) (*verifier, error) {
	key := system.scheme.newVerifyingKey(system.curve.id)
	layout := system.scheme.verifyingKeyLayout(system.curve, statement.shape())
	if err := deserialise(key, verifyingKey, layout); err != nil {
		return nil, fmt.Errorf("the verifying key is not one: %w", err)
	}
	return &verifier{
		system:    system,
		statement: statement,
		key:       key,
		layout:    system.scheme.proofLayout(system.curve, statement.shape()),
	}, nil
}

// Verify implements [protocol.Verifier].
func (verifier *verifier) Verify(publicInput protocol.PublicInput, proof []byte) protocol.Verdict {
	assignment, err := verifier.statement.assignPublic(publicInput)
	if err != nil {
		return protocol.Reject(fmt.Sprintf("the public input cannot be assigned: %v", err))
	}
	return verifier.judge(assignment, proof)
}

// judge judges a serialised proof against the public part of an assignment.
func (verifier *verifier) judge(assignment frontend.Circuit, serialised []byte) protocol.Verdict {
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
