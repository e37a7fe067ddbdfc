package protocol

// System is one library, version, scheme and field or curve.
type System interface {
	// Description is what `describe` prints and requests are validated against.
	Description() *SystemDescription

	// Open begins one configuration, which is legal. Nothing here is timed, such as deriving the
	// constants.
	Open(configuration *Configuration, seed Seed) (Session, error)

	// Verifier prepares the verifying key of another process. verifyingKey is what stands after the
	// 32 bytes of the header, which has been checked; the bytes themselves are not to be trusted. An
	// error is a rejection, its text the reason.
	Verifier(configuration *Configuration, verifyingKey []byte) (Verifier, error)
}

// Restricted is a [System] that cannot prove some combinations that no single range of its description
// excludes.
type Restricted interface {
	// Legal fails with [Unsupported] for these. Nothing is computed here beyond that, since `classify`
	// asks it of whole grids. Every configuration is asked about before it is opened.
	Legal(configuration *Configuration) error
}

// Session is one configuration at work. The loop calls [Compiler], [Preparer] and [KeyMaker] once, then
// LoadInstance, [Witnesser], Prove and Verify for each sample. Only the phases that the description
// names are timed.
//
// An error is `internal` unless it is or wraps a [Failure].
type Session interface {
	// LoadInstance derives an instance and drops what the last sample left behind. Never timed.
	LoadInstance(index uint64) error

	// Prove leaves the serialised proof, which Proof then lends.
	Prove() error

	// Verify judges the serialised proof against the public input with the prepared verifying key.
	// It may be called many times for one proof.
	Verify() (Verdict, error)

	// Proof is the serialised proof, exactly the bytes its size is counted by.
	Proof() []byte

	// VerifyingKey is what a verifier must hold, as the library serialises it, without the header.
	VerifyingKey() ([]byte, error)

	// PublicInput is the public input of the loaded instance.
	PublicInput() PublicInput

	// Sizes are those that are the same for every proof; asked once, after the first counted sample.
	Sizes() ([]Size, error)

	// Counters are those that are the same for every proof; asked once, after the first counted
	// sample. The loop itself adds `threads`.
	Counters() []Counter
}

// Compiler is a [Session] with a phase `compile`.
type Compiler interface {
	Compile() error
}

// Preparer is a [Session] that has to make something between `compile` and `setup` that belongs to
// neither and is not timed, such as a reference string that many circuits share.
type Preparer interface {
	Prepare() error
}

// KeyMaker is a [Session] with a phase `setup`, which leaves the verifying key prepared.
type KeyMaker interface {
	Setup() error
}

// Witnesser is a [Session] with a phase `witness`.
type Witnesser interface {
	Witness() error
}

// Sampler is a [Session] with sizes or counters that vary from proof to proof; asked after every
// sample that made a proof.
type Sampler interface {
	SampleSizes() []Size
	SampleCounters() []Counter
}

// Rater is a [Session] whose library tells levels of security; asked once, after the first counted
// sample.
type Rater interface {
	Security() []Security
}

// Verifier is a prepared verifying key.
type Verifier interface {
	// Verify judges a proof. Neither argument is to be trusted, except that the public input is one of
	// the statement, size and variant that the request asks for: of the type that the statement has,
	// with that number of constants, and with elements below the order of the field.
	Verify(publicInput PublicInput, proof []byte) Verdict
}

// Verdict is what a verifier says about a proof.
type Verdict struct {
	Accepted bool
	Reason   string // one sentence; empty when accepted
}

// Accept is the verdict on a proof that convinces.
func Accept() Verdict { return Verdict{Accepted: true} }

// Reject is the verdict on a proof that does not, for a reason in one sentence.
func Reject(reason string) Verdict { return Verdict{Reason: reason} }

// Size is a serialised size in bytes.
type Size struct {
	Of       SizeOf
	Encoding Encoding
	Bytes    int64
}

// SizeOf is what a size is of.
type SizeOf string

// What has a size.
const (
	SizeOfProof        SizeOf = "proof"
	SizeOfVerifyingKey SizeOf = "verifying_key"
	SizeOfProvingKey   SizeOf = "proving_key"
	SizeOfPublicInput  SizeOf = "public_input"
	SizeOfWitness      SizeOf = "witness"
	SizeOfCommitments  SizeOf = "commitments"
)

// Encoding is how something is serialised.
type Encoding string

// Encodings.
const (
	Compressed   Encoding = "compressed"
	Uncompressed Encoding = "uncompressed"
	Native       Encoding = "native"
)

// Counter is a number that explains a time.
type Counter struct {
	Name  string
	Value float64
}

// Security is a level of security in bits, and where the figure comes from.
type Security struct {
	Kind   SecurityKind
	Bits   float64
	Source string
}

// SecurityKind is the argument behind a level of security.
type SecurityKind string

// Kinds of security.
const (
	SecurityConjectured          SecurityKind = "conjectured"
	SecurityProvenUniqueDecoding SecurityKind = "proven-unique-decoding"
	SecurityProvenListDecoding   SecurityKind = "proven-list-decoding"
)
