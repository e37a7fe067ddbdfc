package protocol

import (
	"fmt"
	"slices"
	"strings"
)

// Version is the version of the protocol that this package speaks.
const Version = 1

// Library is what a runner measures.
type Library struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Build says how the binary was made.
type Build struct {
	Target    string   `json:"target"`
	Profile   string   `json:"profile"`
	Features  []string `json:"features"`
	TargetCPU string   `json:"target_cpu"`
}

// Phase is one of the five phases of the protocol.
type Phase string

// The phases, in the order in which they happen.
const (
	Compile Phase = "compile" // source circuit to constraint system
	Setup   Phase = "setup"   // constraint system to keys or generators
	Witness Phase = "witness" // instance to full assignment or trace
	Prove   Phase = "prove"   // assignment and keys to serialised proof
	Verify  Phase = "verify"  // serialised proof and public input to verdict
)

// Phases lists all phases in order.
var Phases = []Phase{Compile, Setup, Witness, Prove, Verify}

// SystemDescription is what a system says about itself: printed by `describe`, and the ground on
// which every request is judged.
type SystemDescription struct {
	System       string                 `json:"system"`
	Scheme       string                 `json:"scheme"`
	Curve        *string                `json:"curve"` // nil where there is none
	Field        FieldDescription       `json:"field"`
	Properties   Properties             `json:"properties"`
	Phases       []TimedPhase           `json:"phases"`
	AbsentPhases []AbsentPhase          `json:"absent_phases"`
	Threads      Threads                `json:"threads"`
	ProofSize    ProofSize              `json:"proof_size"`
	Statements   []StatementDescription `json:"statements"`
	Options      []OptionDescription    `json:"options"`
	Malleable    []Malleable            `json:"malleable"`
}

// FieldDescription is the prime field of the statement.
type FieldDescription struct {
	Name    string `json:"name"`
	Modulus string `json:"modulus"` // canonical hexadecimal
	Bits    int    `json:"bits"`
}

// Properties is what a scheme promises and assumes.
type Properties struct {
	TrustedSetup  TrustedSetup  `json:"trusted_setup"`
	Transparent   bool          `json:"transparent"`
	PostQuantum   bool          `json:"post_quantum"`
	ZeroKnowledge ZeroKnowledge `json:"zero_knowledge"`
	Assumptions   string        `json:"assumptions"`

	BatchVerification BatchVerification `json:"batch_verification"`
}

// BatchVerification says whether the library verifies many proofs under one key in one call. This
// package has no loop for one that does, and refuses to measure it.
type BatchVerification struct {
	Supported bool `json:"supported"`

	// Source is what was looked at and has no such call, with where it stands.
	Source string `json:"source"`
}

// TrustedSetup says whether somebody has to be trusted with the secrets of a set-up.
type TrustedSetup string

// Kinds of trusted set-up.
const (
	TrustedSetupNone       TrustedSetup = "none"
	TrustedSetupUniversal  TrustedSetup = "universal"
	TrustedSetupPerCircuit TrustedSetup = "per-circuit"
)

// ZeroKnowledge is a degree of zero knowledge, with the library's own words that say so.
type ZeroKnowledge struct {
	Level  ZeroKnowledgeLevel `json:"level"`
	Source string             `json:"source"`
}

// ZeroKnowledgeLevel is a degree of zero knowledge.
type ZeroKnowledgeLevel string

// Degrees of zero knowledge.
const (
	ZeroKnowledgeYes     ZeroKnowledgeLevel = "yes"
	ZeroKnowledgeNo      ZeroKnowledgeLevel = "no"
	ZeroKnowledgePartial ZeroKnowledgeLevel = "partial"
)

// TimedPhase is a phase that is timed by itself, with those that the library fuses into it.
type TimedPhase struct {
	Phase    Phase   `json:"phase"`
	Includes []Phase `json:"includes"`
}

// AbsentPhase is a phase that does not exist for a system.
type AbsentPhase struct {
	Phase  Phase  `json:"phase"`
	Reason string `json:"reason"`
}

// Threads says which thread counts are legal and how they are enforced.
type Threads struct {
	Minimum int    `json:"minimum"`
	Maximum *int   `json:"maximum"` // nil where there is no limit
	How     string `json:"how"`
}

// ProofSize says whether all proofs of a configuration have one size.
type ProofSize string

// Whether proofs of one configuration differ in size.
const (
	ProofSizeConstant ProofSize = "constant"
	ProofSizeVaries   ProofSize = "varies"
)

// StatementDescription is a statement a system proves.
type StatementDescription struct {
	Statement string               `json:"statement"`
	Size      SizeRange            `json:"size"`
	Variants  []VariantDescription `json:"variants"`
	Unsound   []Unsound            `json:"unsound"`
}

// SizeRange is the legal sizes of a statement.
type SizeRange struct {
	Name    string   `json:"name"`
	Minimum uint64   `json:"minimum"`
	Maximum uint64   `json:"maximum"`
	Rule    SizeRule `json:"rule"`
}

// SizeRule says which sizes of a range are supported.
type SizeRule string

// Rules of size.
const (
	SizeAny                SizeRule = "any"
	SizePowerOfTwo         SizeRule = "power-of-two"
	SizePowerOfTwoMinusOne SizeRule = "power-of-two-minus-one"
)

// VariantDescription is a design choice of the circuit.
type VariantDescription struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"`
	Default string   `json:"default"`
}

// Unsound is a variant that is kept although it is unsound, with the one check it must fail.
type Unsound struct {
	Variant map[string]string `json:"variant"`
	Check   string            `json:"check"`
	Reason  string            `json:"reason"`
}

// OptionDescription is an option of the proof scheme: a whole number or one of several names.
type OptionDescription interface {
	optionName() string
	defaultIsLegal() bool
}

// IntegerOption is an option that is a whole number.
type IntegerOption struct {
	Name    string
	Minimum uint64
	Maximum uint64
	Values  []uint64 // the only legal ones; all of the range where empty
	Default uint64
	Help    string
}

// ChoiceOption is an option that is one of several names.
type ChoiceOption struct {
	Name    string
	Values  []string
	Default string
	Help    string
}

func (option IntegerOption) optionName() string { return option.Name }
func (option ChoiceOption) optionName() string  { return option.Name }

func (option IntegerOption) legal(value uint64) bool {
	return option.Minimum <= value && value <= option.Maximum &&
		(len(option.Values) == 0 || slices.Contains(option.Values, value))
}

func (option IntegerOption) defaultIsLegal() bool { return option.legal(option.Default) }
func (option ChoiceOption) defaultIsLegal() bool {
	return slices.Contains(option.Values, option.Default)
}

// MarshalJSON writes the option as `describe` does.
func (option IntegerOption) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Name    string   `json:"name"`
		Type    string   `json:"type"`
		Minimum uint64   `json:"minimum"`
		Maximum uint64   `json:"maximum"`
		Values  []uint64 `json:"values,omitempty"`
		Default uint64   `json:"default"`
		Help    string   `json:"help"`
	}{option.Name, "integer", option.Minimum, option.Maximum, option.Values, option.Default, option.Help})
}

// MarshalJSON writes the option as `describe` does.
func (option ChoiceOption) MarshalJSON() ([]byte, error) {
	return marshal(struct {
		Name    string   `json:"name"`
		Type    string   `json:"type"`
		Values  []string `json:"values"`
		Default string   `json:"default"`
		Help    string   `json:"help"`
	}{option.Name, "choice", option.Values, option.Default, option.Help})
}

// Malleable is a place of a proof whose change the library accepts.
type Malleable struct {
	Where  string   `json:"where"`
	Bits   []uint64 `json:"bits"` // from the start of the proof; bit 0 is the lowest of byte 0
	Reason string   `json:"reason"`
}

// times says whether the system times this phase by itself.
func (description *SystemDescription) times(phase Phase) bool {
	return slices.ContainsFunc(description.Phases, func(timed TimedPhase) bool {
		return timed.Phase == phase
	})
}

// Faults lists what is wrong with a description; it is empty for a good one. Meant for the tests of
// a runner: every phase has exactly one place, defaults are legal, names occur once, and what is
// declared unsound exists.
func (description *SystemDescription) Faults() []string {
	var faults []string
	for _, phase := range Phases {
		places := 0
		included := false
		for _, timed := range description.Phases {
			if timed.Phase == phase {
				places++
			}
			included = included || slices.Contains(timed.Includes, phase)
		}
		if included {
			places++
		}
		for _, absent := range description.AbsentPhases {
			if absent.Phase == phase {
				places++
			}
		}
		if places != 1 {
			faults = append(faults, fmt.Sprintf("phase %s has %d places instead of one", phase, places))
		}
	}
	names := map[string]bool{}
	for _, option := range description.Options {
		if names[option.optionName()] {
			faults = append(faults, fmt.Sprintf("option %s occurs twice", option.optionName()))
		}
		names[option.optionName()] = true
		if !option.defaultIsLegal() {
			faults = append(faults, fmt.Sprintf("the default of option %s is not legal", option.optionName()))
		}
	}
	for _, statement := range description.Statements {
		faults = append(faults, statement.faults()...)
	}
	if _, ok := decodeInteger(description.Field.Modulus); !ok {
		faults = append(faults, "the field's modulus is not in canonical hexadecimal")
	}
	return faults
}

func (statement *StatementDescription) faults() []string {
	var faults []string
	if known, ok := statements[statement.Statement]; !ok || known.size != statement.Size.Name {
		faults = append(faults, fmt.Sprintf("there is no statement %s with a size in %s", statement.Statement, statement.Size.Name))
	}
	values := map[string][]string{}
	for _, variant := range statement.Variants {
		if _, twice := values[variant.Name]; twice {
			faults = append(faults, fmt.Sprintf("variant %s occurs twice", variant.Name))
		}
		values[variant.Name] = variant.Values
		if !slices.Contains(variant.Values, variant.Default) {
			faults = append(faults, fmt.Sprintf("the default of variant %s is not legal", variant.Name))
		}
	}
	for _, unsound := range statement.Unsound {
		for name, value := range unsound.Variant {
			if !slices.Contains(values[name], value) {
				faults = append(faults, fmt.Sprintf("unsound variant %s=%s does not exist", name, value))
			}
		}
	}
	return faults
}

// listed puts names into words.
func listed[T any](values []T) string {
	if len(values) == 0 {
		return "none"
	}
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = fmt.Sprint(value)
	}
	return strings.Join(words, ", ")
}
