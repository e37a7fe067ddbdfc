package main

import (
	"errors"
	"math/big"

	"nizk-bench/provers/protocol-go"
)

// field is that of order 2⁶⁴ − 2³² + 1, until it is the library's own.
var field = protocol.Field{Modulus: new(big.Int).SetUint64(0xffffffff00000001)}

// measured is one library, scheme and field.
type measured struct{}

// Description is printed in tables, every word of it: EXTENDING.md says what each must be.
func (measured) Description() *protocol.SystemDescription {
	one := 1
	return &protocol.SystemDescription{
		System: "newcomer/scheme/f64",
		Scheme: "scheme",
		Field:  field.Description("f64"),
		Properties: protocol.Properties{
			TrustedSetup: protocol.TrustedSetupNone,
			Transparent:  true,
			ZeroKnowledge: protocol.ZeroKnowledge{
				Level:  protocol.ZeroKnowledgeNo,
				Source: "not said yet: quote the library, and where it stands",
			},
			Assumptions: "not said yet",
			BatchVerification: protocol.BatchVerification{
				Source: "not said yet: whether it verifies many proofs in one call, and what says so",
			},
		},
		Phases: []protocol.TimedPhase{
			{Phase: protocol.Prove, Includes: []protocol.Phase{protocol.Compile, protocol.Witness}},
			{Phase: protocol.Verify, Includes: []protocol.Phase{protocol.Compile}},
		},
		AbsentPhases: []protocol.AbsentPhase{
			{Phase: protocol.Setup, Reason: "not said yet: time it, or say why the scheme has none"},
		},
		Threads:   protocol.Threads{Minimum: 1, Maximum: &one, How: "it computes on one thread"},
		ProofSize: protocol.ProofSizeConstant,
		Statements: []protocol.StatementDescription{{
			Statement: protocol.MimcStatement,
			Size: protocol.SizeRange{
				Name:    protocol.MimcSize,
				Minimum: protocol.MimcMinimumRounds,
				Maximum: protocol.MimcMaximumRounds,
				Rule:    protocol.SizeAny,
			},
			Variants: []protocol.VariantDescription{
				{Name: "constants", Values: []string{"public"}, Default: "public"},
			},
			Unsound: []protocol.Unsound{},
		}},
		Options:   []protocol.OptionDescription{},
		Malleable: []protocol.Malleable{},
	}
}

// Open begins one configuration.
func (measured) Open(configuration *protocol.Configuration, seed protocol.Seed) (protocol.Session, error) {
	constants := field.MimcConstants(seed, configuration.Size)
	return &session{seed: seed, instance: instance{constants: constants}}, nil
}

// Verifier prepares the key of another process; the scheme has none.
func (measured) Verifier(_ *protocol.Configuration, verifyingKey []byte) (protocol.Verifier, error) {
	if len(verifyingKey) > 0 {
		return nil, errors.New("the scheme has no verifying key, and there is one")
	}
	return verifier{}, nil
}

// session is one configuration at work.
type session struct {
	seed     protocol.Seed
	instance instance
	proof    []byte
}

func (session *session) LoadInstance(index uint64) error {
	session.proof = nil
	left, right := field.MimcPreimage(session.seed, index)
	session.instance.left, session.instance.right = left, right
	session.instance.image = field.MimcImage(session.instance.constants, left, right)
	return nil
}

func (session *session) Prove() (err error) {
	session.proof, err = prove(session.instance)
	return err
}

func (session *session) Verify() (protocol.Verdict, error) {
	return verify(session.publicInput(), session.proof), nil
}

func (session *session) Proof() []byte                     { return session.proof }
func (session *session) VerifyingKey() ([]byte, error)     { return nil, nil }
func (session *session) PublicInput() protocol.PublicInput { return session.publicInput() }
func (session *session) Counters() []protocol.Counter      { return nil }
func (session *session) Sizes() ([]protocol.Size, error) {
	bytes := int64(len(session.proof))
	return []protocol.Size{{Of: protocol.SizeOfProof, Encoding: protocol.Native, Bytes: bytes}}, nil
}

func (session *session) publicInput() *protocol.MimcPublicInput {
	return &protocol.MimcPublicInput{Image: session.instance.image, Constants: session.instance.constants}
}

// verifier is the prepared key.
type verifier struct{}

func (verifier) Verify(publicInput protocol.PublicInput, proof []byte) protocol.Verdict {
	mimc, ok := publicInput.(*protocol.MimcPublicInput)
	if !ok {
		return protocol.Reject("the public input is not that of mimc-preimage")
	}
	return verify(mimc, proof)
}
