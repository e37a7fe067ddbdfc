package protocol

import "errors"

// Failure says why a request ended without `done`.
type Failure struct {
	Kind    FailureKind
	Message string // one sentence with the name, the value given and what is legal
	Option  string // the member at fault, such as `queries` or `size.rounds`; empty where none is
	// The rule that an unsupported configuration breaks, a name in kebab case that stays the same
	// whatever the values are; empty for other kinds.
	Rule string
}

// FailureKind says whose fault a failure is.
type FailureKind string

// Kinds of failure.
const (
	KindInvalidRequest FailureKind = "invalid-request" // the request breaks a rule
	KindUnsupported    FailureKind = "unsupported"     // legal by itself, not in this combination
	KindOutOfMemory    FailureKind = "out-of-memory"
	KindTimeout        FailureKind = "timeout"
	KindInternal       FailureKind = "internal" // a library failed where it should not
)

// Error is the sentence of the failure.
func (failure *Failure) Error() string { return failure.Message }

// InvalidRequest is the failure of a request that breaks a rule of the protocol or of a description.
func InvalidRequest(option, message string) *Failure {
	return &Failure{Kind: KindInvalidRequest, Message: message, Option: option}
}

// Unsupported is the failure of a request that is legal by itself and cannot be carried out in this
// combination: the name of the rule, the member that breaks it given the others, and the rule as a
// sentence.
func Unsupported(rule, option, message string) *Failure {
	return &Failure{KindUnsupported, message, option, rule}
}

// failureOf makes any error a failure: `internal`, unless it already is one.
func failureOf(err error) *Failure {
	var failure *Failure
	if errors.As(err, &failure) {
		return failure
	}
	return &Failure{Kind: KindInternal, Message: err.Error()}
}
