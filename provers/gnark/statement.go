package main

import (
	"fmt"

	"github.com/consensys/gnark/frontend"

	"nizk-bench/provers/protocol-go"
)

// statement is a statement of one size and variant over one curve, as gnark is told it.
type statement interface {
	shape() shape

	// assignPublic assigns a public input of this statement to the public part of its circuit. An error
	// says why nothing can be assigned.
	assignPublic(publicInput protocol.PublicInput) (frontend.Circuit, error)

	// instances derives what the statement needs of a seed.
	instances(seed protocol.Seed) instances
}

// instances are those of a statement and a seed.
type instances interface {
	// source is the circuit to compile, with nothing assigned.
	source() frontend.Circuit

	// derive assigns an instance to the circuit and returns what a verifier is given of it.
	derive(index uint64) (assignment frontend.Circuit, publicInput protocol.PublicInput)
}

// shape is what the lengths of proofs and verifying keys depend on.
type shape struct {
	publicElements int

	// The commitments to wires that a proof carries, and whose hashes the circuit reads as challenges:
	// one where the circuit looks anything up in a table, none elsewhere.
	commitments int

	// The bytes that a verifier is handed where these are not the public elements, but are decoded to
	// them within `verify`; zero elsewhere.
	encodedBytes int
}

// statementOf is the statement of a configuration, which is legal.
func statementOf(system *system, configuration *protocol.Configuration) statement {
	switch configuration.Statement {
	case protocol.MimcStatement:
		return newMimc(system, configuration)
	case protocol.HashStatement:
		return newHash(system, configuration)
	case protocol.RangeStatement:
		return newRanges(configuration)
	}
	panic(fmt.Sprintf("the description of %s has no statement %s", configuration.System, configuration.Statement))
}
