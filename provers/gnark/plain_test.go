package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

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

// The plain program: the runner's circuit, proven and verified by gnark's own calls, without the
// protocol and without the runner's checks of what it is given. What the runner costs beyond it is
// the cost of the harness. It reads the environment:
//
//	NIZK_PLAIN_SYSTEM   one of the runner's systems, by default the first
//	NIZK_PLAIN_SIZE     rounds, 255 by default
//	NIZK_PLAIN_VARIANT  name=value joined by commas, the defaults where missing
//	NIZK_PLAIN_THREADS  threads, 1 by default
//	NIZK_PLAIN_SEED     64 lower-case hexadecimal digits, zeros by default
type plain struct {
	curve    *curve
	scheme   *scheme
	seed     protocol.Seed
	source   *mimcCircuit // with the constants, and nothing else, assigned
	compiled constraint.ConstraintSystem

	groth16ProvingKey   groth16.ProvingKey
	groth16VerifyingKey groth16.VerifyingKey
	plonkProvingKey     plonk.ProvingKey
	plonkVerifyingKey   plonk.VerifyingKey

	instance uint64 // the next fresh one
}

// prepared is made once a process, however often a benchmark is repeated.
var prepared = sync.OnceValues(preparePlain)

func setting(name, missing string) string {
	if value := os.Getenv("NIZK_PLAIN_" + name); value != "" {
		return value
	}
	return missing
}

func plainThreads() (int, error) {
	text := setting("THREADS", "1")
	threads, err := strconv.Atoi(text)
	if err != nil || threads < 1 {
		return 0, fmt.Errorf("NIZK_PLAIN_THREADS is %q, legal is a whole number from 1 on", text)
	}
	return threads, nil
}

func preparePlain() (*plain, error) {
	name := setting("SYSTEM", "gnark/groth16/bls12-381")
	var found *system
	for _, candidate := range systems() {
		if candidate.Description().System == name {
			found = candidate.(*system)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("NIZK_PLAIN_SYSTEM is %q, which is no system of this runner", name)
	}
	rounds, err := strconv.Atoi(setting("SIZE", "255"))
	if err != nil {
		return nil, fmt.Errorf("NIZK_PLAIN_SIZE: %w", err)
	}
	threads, err := plainThreads()
	if err != nil {
		return nil, err
	}
	variant := map[string]string{}
	if text := setting("VARIANT", ""); text != "" {
		for pair := range strings.SplitSeq(text, ",") {
			name, value, _ := strings.Cut(pair, "=")
			variant[name] = value
		}
	}
	configuration, err := protocol.ConfigurationFromTexts(found.Description(), protocol.MimcStatement, rounds, threads, variant)
	if err != nil {
		return nil, fmt.Errorf("read the environment: %w", err)
	}
	seed, ok := protocol.ParseSeed(setting("SEED", strings.Repeat("0", 64)))
	if !ok {
		return nil, fmt.Errorf("NIZK_PLAIN_SEED is %q, legal are 64 lower-case hexadecimal digits", setting("SEED", ""))
	}
	plain := &plain{curve: found.curve, scheme: found.scheme, seed: seed}
	constants := found.curve.scalarField().MimcConstants(seed, rounds)
	empty := &mimcCircuit{
		fused: found.scheme == groth16Scheme && configuration.Variant(variantGadget) == constantTerms,
	}
	if configuration.Variant(variantConstants) == constantsPublic {
		empty.Constants = make([]frontend.Variable, rounds)
		plain.source = &mimcCircuit{Constants: found.curve.elements(constants)}
	} else {
		empty.fixed = constants
		plain.source = &mimcCircuit{}
	}
	plain.source.fixed = constants
	return plain, plain.setup(empty)
}

func (plain *plain) setup(empty *mimcCircuit) (err error) {
	field := plain.curve.id.ScalarField()
	if plain.scheme == groth16Scheme {
		if plain.compiled, err = frontend.Compile(field, r1cs.NewBuilder, empty); err != nil {
			return fmt.Errorf("compile: %w", err)
		}
		plain.groth16ProvingKey, plain.groth16VerifyingKey, err = groth16.Setup(plain.compiled)
		return err
	}
	if plain.compiled, err = frontend.Compile(field, scs.NewBuilder, empty); err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	canonical, lagrange, err := unsafekzg.NewSRS(plain.compiled)
	if err != nil {
		return fmt.Errorf("make a reference string: %w", err)
	}
	plain.plonkProvingKey, plain.plonkVerifyingKey, err = plonk.Setup(plain.compiled, canonical, lagrange)
	return err
}

// next derives the next instance and collects what the last left behind.
func (plain *plain) next() *mimcCircuit {
	field := plain.curve.scalarField()
	left, right := field.MimcPreimage(plain.seed, plain.instance)
	plain.instance++
	assignment := &mimcCircuit{
		Image:     plain.curve.element(field.MimcImage(plain.source.fixed, left, right)),
		Constants: plain.source.Constants,
		Left:      plain.curve.element(left),
		Right:     plain.curve.element(right),
	}
	runtime.GC()
	return assignment
}

func (plain *plain) prove(assignment *mimcCircuit) ([]byte, error) {
	full, err := frontend.NewWitness(assignment, plain.curve.id.ScalarField())
	if err != nil {
		return nil, err
	}
	var serialised bytes.Buffer
	if plain.scheme == groth16Scheme {
		proof, err := groth16.Prove(plain.compiled, plain.groth16ProvingKey, full)
		if err != nil {
			return nil, err
		}
		_, err = proof.WriteTo(&serialised)
		return serialised.Bytes(), err
	}
	proof, err := plonk.Prove(plain.compiled, plain.plonkProvingKey, full)
	if err != nil {
		return nil, err
	}
	_, err = proof.WriteTo(&serialised)
	return serialised.Bytes(), err
}

func (plain *plain) verify(assignment *mimcCircuit, serialised []byte) error {
	var public witness.Witness
	public, err := frontend.NewWitness(assignment, plain.curve.id.ScalarField(), frontend.PublicOnly())
	if err != nil {
		return err
	}
	if plain.scheme == groth16Scheme {
		proof := groth16.NewProof(plain.curve.id)
		if _, err := proof.ReadFrom(bytes.NewReader(serialised)); err != nil {
			return err
		}
		return groth16.Verify(proof, plain.groth16VerifyingKey, public)
	}
	proof := plonk.NewProof(plain.curve.id)
	if _, err := proof.ReadFrom(bytes.NewReader(serialised)); err != nil {
		return err
	}
	return plonk.Verify(proof, plain.plonkVerifyingKey, public)
}

// BenchmarkProve proves a fresh instance each time; deriving it is not timed.
func BenchmarkProve(b *testing.B) {
	plain, err := prepared()
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		assignment := plain.next()
		b.StartTimer()
		if _, err := plain.prove(assignment); err != nil {
			b.Fatal(err)
		}
	}
}

// provenOnce is the proof that is verified, however often the benchmark is repeated.
var provenOnce = sync.OnceValues(func() (func() error, error) {
	plain, err := prepared()
	if err != nil {
		return nil, err
	}
	assignment := plain.next()
	serialised, err := plain.prove(assignment)
	return func() error { return plain.verify(assignment, serialised) }, err
})

// BenchmarkVerify verifies one proof again and again.
func BenchmarkVerify(b *testing.B) {
	verify, err := provenOnce()
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		runtime.GC()
		b.StartTimer()
		if err := verify(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPlainProgramProvesWhatItVerifies(t *testing.T) {
	verify, err := provenOnce()
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(); err != nil {
		t.Error(err)
	}
}
