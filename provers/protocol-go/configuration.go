package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Configuration is one cell of a grid, validated, with the defaults of the description filled in.
type Configuration struct {
	System    string
	Statement string
	Size      int // in the unit that the statement gives it, rounds or bytes
	Threads   int // 1 for `verify`, which runs outside the loop

	variant map[string]string
	options map[string]any // uint64 or string
}

// Variant returns the value of a variant of the statement. It panics if the description has no
// variant of this name: a fault of the runner, not of a request.
func (configuration *Configuration) Variant(name string) string {
	value, ok := configuration.variant[name]
	if !ok {
		panic(fmt.Sprintf("the description of %s has no variant %s", configuration.System, name))
	}
	return value
}

// OptionInteger returns the value of an integer option. It panics if the description has none of
// this name: a fault of the runner.
func (configuration *Configuration) OptionInteger(name string) uint64 {
	value, ok := configuration.options[name].(uint64)
	if !ok {
		panic(fmt.Sprintf("the description of %s has no integer option %s", configuration.System, name))
	}
	return value
}

// OptionChoice returns the value of an option that is one of several names. It panics if the
// description has none of this name: a fault of the runner.
func (configuration *Configuration) OptionChoice(name string) string {
	value, ok := configuration.options[name].(string)
	if !ok {
		panic(fmt.Sprintf("the description of %s has no choice %s", configuration.System, name))
	}
	return value
}

// CanonicalVariant returns the variant as `name=value` joined by `,`, names in alphabetical order.
func (configuration *Configuration) CanonicalVariant() string {
	names := slices.Sorted(maps.Keys(configuration.variant))
	pairs := make([]string, len(names))
	for i, name := range names {
		pairs[i] = name + "=" + configuration.variant[name]
	}
	return strings.Join(pairs, ",")
}

// ConfigurationFromTexts validates a configuration that no request asked for: the way in for a
// plain program, which measures without the loop. Variants missing from `variant` and all options
// take their defaults.
func ConfigurationFromTexts(
	description *SystemDescription, statement string, size, threads int, variant map[string]string,
) (*Configuration, error) {
	sizes := map[string]any{}
	for _, described := range description.Statements {
		if described.Statement == statement {
			sizes[described.Size.Name] = number(fmt.Sprint(size))
		}
	}
	members := &members{values: map[string]any{
		"system":    description.System,
		"statement": statement,
		"size":      newMembers(sizes),
		"threads":   number(fmt.Sprint(threads)),
	}}
	given := map[string]any{}
	for name, value := range variant {
		given[name] = value
	}
	members.values["variant"] = newMembers(given)
	_, configuration, failure := readCell(members, []*SystemDescription{description})
	if failure != nil {
		return nil, failure
	}
	if configuration.Threads, failure = readThreads(members, description); failure != nil {
		return nil, failure
	}
	return configuration, nil
}
