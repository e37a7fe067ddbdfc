package protocol

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
	"strings"
)

const (
	maximumIDBytes = 128
	maximumSamples = 1_000_000
	maximumWarmup  = 1000
	maximumSeconds = 86400
	minimumBatch   = 2
	maximumBatch   = 1024

	runMembers = "type, id, system, statement, size, variant, options, threads, seed, instances, " +
		"first_instance, stop, phases, batch, artifacts"
	verifyMembers = "type, id, system, statement, size, variant, options, public_input, " +
		"verifying_key, proof"
)

// runRequest is a request of `RUNNER run`.
type runRequest struct {
	configuration *Configuration
	seed          Seed
	fixed         bool // every sample uses the first instance
	firstInstance uint64
	stop          stopRule
	phases        []Phase
	artifacts     string // empty where none are asked for
}

// stopRule says when a loop ends.
type stopRule struct {
	warmup, minimum, maximum uint64
	seconds                  float64
}

// verifyRequest is a request of `RUNNER verify`.
type verifyRequest struct {
	configuration                    *Configuration
	publicInput, verifyingKey, proof string // paths
}

// envelope is a line that is an object with an `id`: as far as every answer must be able to name it.
type envelope struct {
	id      string
	members *members
}

// readEnvelope reads a line as far as its `id`.
func readEnvelope(line []byte) (*envelope, *Failure) {
	object, err := parseObject(line)
	if err != nil {
		return nil, InvalidRequest("", fmt.Sprintf("the line is no JSON object in UTF-8: %v", err))
	}
	legal := fmt.Sprintf("a string of 1 to %d bytes", maximumIDBytes)
	id, failure := object.text("id", legal)
	if failure != nil {
		return nil, failure
	}
	if id == "" || len(id) > maximumIDBytes {
		return nil, object.wrong("id", id, legal)
	}
	return &envelope{id, object}, nil
}

// run reads the rest as a request to run; the system it names is `systems[position]`.
func (envelope *envelope) run(systems []*SystemDescription) (position int, request *runRequest, failure *Failure) {
	object := envelope.members
	request = &runRequest{}
	if _, failure = object.choice("type", []string{"run"}); failure != nil {
		return
	}
	if position, request.configuration, failure = readCell(object, systems); failure != nil {
		return
	}
	if request.configuration.Threads, failure = readThreads(object, systems[position]); failure != nil {
		return
	}
	if request.seed, failure = readSeed(object); failure != nil {
		return
	}
	instances, failure := object.choice("instances", []string{"fresh", "fixed"})
	if failure != nil {
		return
	}
	request.fixed = instances == "fixed"
	if request.stop, failure = readStop(object); failure != nil {
		return
	}
	if request.firstInstance, failure = readFirstInstance(object, request.stop); failure != nil {
		return
	}
	if request.phases, failure = readPhases(object); failure != nil {
		return
	}
	if failure = refuseBatch(object, systems[position], request.phases); failure != nil {
		return
	}
	if request.artifacts, failure = readArtifacts(object); failure != nil {
		return
	}
	failure = object.finish(runMembers)
	return
}

// verify reads the rest as a request to verify; the system it names is `systems[position]`.
func (envelope *envelope) verify(systems []*SystemDescription) (position int, request *verifyRequest, failure *Failure) {
	object := envelope.members
	request = &verifyRequest{}
	if _, failure = object.choice("type", []string{"verify"}); failure != nil {
		return
	}
	if position, request.configuration, failure = readCell(object, systems); failure != nil {
		return
	}
	for _, member := range []struct {
		name string
		into *string
	}{
		{"public_input", &request.publicInput},
		{"verifying_key", &request.verifyingKey},
		{"proof", &request.proof},
	} {
		if *member.into, failure = object.text(member.name, "the path of a file"); failure != nil {
			return
		}
	}
	failure = object.finish(verifyMembers)
	return
}

// readCell reads what `run` and `verify` have in common: system, statement, size, variant, options.
func readCell(object *members, systems []*SystemDescription) (int, *Configuration, *Failure) {
	names := make([]string, len(systems))
	for i, system := range systems {
		names[i] = system.System
	}
	name, failure := object.choice("system", names)
	if failure != nil {
		return 0, nil, failure
	}
	position := slices.Index(names, name)
	description := systems[position]

	names = make([]string, len(description.Statements))
	for i, statement := range description.Statements {
		names[i] = statement.Statement
	}
	if name, failure = object.choice("statement", names); failure != nil {
		return 0, nil, failure
	}
	statement := &description.Statements[slices.Index(names, name)]

	configuration := &Configuration{System: description.System, Statement: name, Threads: 1}
	if configuration.Size, failure = readSize(object, statement.Size); failure != nil {
		return 0, nil, failure
	}
	if configuration.variant, failure = readVariant(object, statement); failure != nil {
		return 0, nil, failure
	}
	if configuration.options, failure = readOptions(object, description); failure != nil {
		return 0, nil, failure
	}
	return position, configuration, nil
}

func readSize(object *members, legal SizeRange) (int, *Failure) {
	size, failure := object.object("size")
	if failure != nil {
		return 0, failure
	}
	value, failure := size.integer(legal.Name, legal.Minimum, legal.Maximum)
	if failure != nil {
		return 0, failure
	}
	if failure := size.finish(legal.Name); failure != nil {
		return 0, failure
	}
	if legal.Rule == SizePowerOfTwo && bits.OnesCount64(value) != 1 {
		full := size.full(legal.Name)
		return 0, Unsupported("power-of-two", full, fmt.Sprintf(
			"%s is %d, supported are powers of two from %d to %d",
			full, value, legal.Minimum, legal.Maximum))
	}
	if legal.Rule == SizePowerOfTwoMinusOne && bits.OnesCount64(value+1) != 1 {
		full := size.full(legal.Name)
		return 0, Unsupported("power-of-two-minus-one", full, fmt.Sprintf(
			"%s is %d, supported are powers of two minus one from %d to %d",
			full, value, legal.Minimum, legal.Maximum))
	}
	return int(value), nil
}

func readVariant(object *members, statement *StatementDescription) (map[string]string, *Failure) {
	given, failure := object.object("variant")
	if failure != nil {
		return nil, failure
	}
	variant := map[string]string{}
	names := make([]string, len(statement.Variants))
	for i, legal := range statement.Variants {
		names[i] = legal.Name
		variant[legal.Name] = legal.Default
		if value, found := given.take(legal.Name); found {
			text, ok := value.(string)
			if !ok || !slices.Contains(legal.Values, text) {
				return nil, given.wrong(legal.Name, value, listed(legal.Values))
			}
			variant[legal.Name] = text
		}
	}
	return variant, given.finish(listed(names))
}

func readOptions(object *members, description *SystemDescription) (map[string]any, *Failure) {
	given, failure := object.object("options")
	if failure != nil {
		return nil, failure
	}
	options := map[string]any{}
	names := make([]string, len(description.Options))
	for i, legal := range description.Options {
		names[i] = legal.optionName()
		value, found := given.take(names[i])
		var chosen any
		switch legal := legal.(type) {
		case IntegerOption:
			chosen = legal.Default
			if found {
				whole, ok := asInteger(value)
				if !ok || !legal.legal(whole) {
					return nil, wrongOption(legal.Name, value, legal.words())
				}
				chosen = whole
			}
		case ChoiceOption:
			chosen = legal.Default
			if found {
				text, ok := value.(string)
				if !ok || !slices.Contains(legal.Values, text) {
					return nil, wrongOption(legal.Name, value, listed(legal.Values))
				}
				chosen = text
			}
		}
		options[names[i]] = chosen
	}
	if failure := given.finish(listed(names)); failure != nil {
		// PROTOCOL.md names an option at fault by its own name alone.
		failure.Option = strings.TrimPrefix(failure.Option, "options.")
		return nil, failure
	}
	return options, nil
}

func (option IntegerOption) words() string {
	if len(option.Values) > 0 {
		return listed(option.Values)
	}
	return integerRange(option.Minimum, option.Maximum)
}

func wrongOption(name string, value any, legal string) *Failure {
	return InvalidRequest(name, fmt.Sprintf("option %s is %s, legal is %s", name, shown(value), legal))
}

func readThreads(object *members, description *SystemDescription) (int, *Failure) {
	maximum := uint64(math.MaxUint32)
	if description.Threads.Maximum != nil {
		maximum = uint64(*description.Threads.Maximum)
	}
	threads, failure := object.integer("threads", uint64(description.Threads.Minimum), maximum)
	return int(threads), failure
}

func readSeed(object *members) (Seed, *Failure) {
	const legal = "64 lower-case hexadecimal digits"
	text, failure := object.text("seed", legal)
	if failure != nil {
		return Seed{}, failure
	}
	seed, ok := ParseSeed(text)
	if !ok {
		return Seed{}, object.wrong("seed", text, legal)
	}
	return seed, nil
}

func readStop(object *members) (rule stopRule, failure *Failure) {
	stop, failure := object.object("stop")
	if failure != nil {
		return
	}
	if rule.warmup, failure = stop.integer("warmup", 0, maximumWarmup); failure != nil {
		return
	}
	if rule.minimum, failure = stop.integer("minimum", 1, maximumSamples); failure != nil {
		return
	}
	if rule.maximum, failure = stop.integer("maximum", 1, maximumSamples); failure != nil {
		return
	}
	if rule.maximum < rule.minimum {
		return rule, stop.wrong("maximum", number(fmt.Sprint(rule.maximum)), fmt.Sprintf(
			"an integer from stop.minimum, which is %d, to %d", rule.minimum, maximumSamples))
	}
	legal := fmt.Sprintf("a number above 0 and at most %d", maximumSeconds)
	given, failure := stop.require("seconds", legal)
	if failure != nil {
		return
	}
	written, _ := given.(number)
	seconds, err := written.Float64()
	if err != nil || !(seconds > 0 && seconds <= maximumSeconds) {
		return rule, stop.wrong("seconds", given, legal)
	}
	rule.seconds = seconds
	return rule, stop.finish("warmup, minimum, maximum, seconds")
}

// readFirstInstance leaves room for all instances that the loop may use after the first.
func readFirstInstance(object *members, stop stopRule) (uint64, *Failure) {
	value, found := object.take("first_instance")
	if !found {
		return 0, nil
	}
	largest := uint64(math.MaxInt64) - stop.warmup - stop.maximum
	index, ok := asInteger(value)
	if !ok || index > largest {
		return 0, object.wrong("first_instance", value, integerRange(0, largest))
	}
	return index, nil
}

func readPhases(object *members) ([]Phase, *Failure) {
	legal := fmt.Sprintf("a non-empty array of %s, each at most once", listed(Phases))
	given, failure := object.require("phases", legal)
	if failure != nil {
		return nil, failure
	}
	items, ok := given.([]any)
	if !ok || len(items) == 0 {
		return nil, object.wrong("phases", given, legal)
	}
	var phases []Phase
	for _, item := range items {
		text, _ := item.(string)
		phase := Phase(text)
		if !slices.Contains(Phases, phase) {
			return nil, InvalidRequest("phases", fmt.Sprintf("phases has %s, legal is %s", shown(item), legal))
		}
		if slices.Contains(phases, phase) {
			return nil, InvalidRequest("phases", fmt.Sprintf("phases has %s twice, legal is %s", phase, legal))
		}
		phases = append(phases, phase)
	}
	return phases, nil
}

// refuseBatch refuses proofs that are to be verified together, which no library behind this package
// does, and anything else that is called so.
func refuseBatch(object *members, description *SystemDescription, phases []Phase) *Failure {
	value, found := object.take("batch")
	if !found {
		return nil
	}
	batch, ok := asInteger(value)
	if !ok || batch < minimumBatch || batch > maximumBatch {
		return object.wrong("batch", value, integerRange(minimumBatch, maximumBatch))
	}
	if !slices.Contains(phases, Verify) {
		return InvalidRequest("batch", fmt.Sprintf(
			"batch is %d, legal is none without verify among the phases", batch))
	}
	return Unsupported("no-batch-verification", "batch", fmt.Sprintf(
		"batch is %d, supported is none, since %s verifies proofs one by one", batch, description.System))
}

func readArtifacts(object *members) (string, *Failure) {
	const legal = "the path of an existing folder"
	given, found := object.take("artifacts")
	if !found {
		return "", nil
	}
	folder, ok := given.(string)
	if !ok {
		return "", object.wrong("artifacts", given, legal)
	}
	if information, err := os.Stat(folder); err != nil || !information.IsDir() {
		return "", object.wrong("artifacts", given, legal)
	}
	return folder, nil
}
