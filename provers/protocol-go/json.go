package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"
)

// maximumDepth is how deep a value may be nested: far more than any message is.
const maximumDepth = 32

// quotedCharacters is the length at which the quotation of a value in a message is cut.
const quotedCharacters = 80

// number is a JSON number as it was written.
type number = json.Number

// members is a JSON object, whose members are taken one after another, so that what is left over was
// misspelt.
type members struct {
	prefix string // what stands before a member's name in messages: empty, or a name and a dot
	order  []string
	values map[string]any // nil, bool, number, string, []any, *members
}

// newMembers is an object with these members.
func newMembers(values map[string]any) *members {
	object := &members{values: values}
	for name := range values {
		object.order = append(object.order, name)
	}
	slices.Sort(object.order)
	return object
}

// parseObject reads exactly one JSON object in UTF-8, in which no member stands twice.
func parseObject(text []byte) (*members, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := parseValue(decoder, 0)
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it ends too early")
		}
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands after its end")
	}
	object, ok := value.(*members)
	if !ok {
		return nil, fmt.Errorf("it is %s", shown(value))
	}
	return object, nil
}

func parseValue(decoder *json.Decoder, depth int) (any, error) {
	if depth > maximumDepth {
		return nil, fmt.Errorf("it is nested deeper than %d values", maximumDepth)
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		items := []any{}
		for decoder.More() {
			item, err := parseValue(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := decoder.Token()
		return items, err
	case json.Delim('{'):
		object := &members{values: map[string]any{}}
		for decoder.More() {
			token, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			name, ok := token.(string)
			if !ok {
				return nil, fmt.Errorf("the name of a member is %v", token)
			}
			if _, twice := object.values[name]; twice {
				return nil, fmt.Errorf("member %s is given twice", quoted(name))
			}
			value, err := parseValue(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			object.order = append(object.order, name)
			object.values[name] = value
		}
		_, err := decoder.Token()
		return object, err
	}
	return token, nil
}

// marshal writes a value as JSON without escaping what only HTML needs escaped.
func marshal(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte{'\n'}), nil
}

// shown puts a JSON value into a message, on one line and not longer than a line can be read.
func shown(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return quoted(value)
	case []any:
		return fmt.Sprintf("an array of %d", len(value))
	case *members:
		return fmt.Sprintf("an object of %d", len(value.values))
	case number:
		return cut(value.String())
	}
	return fmt.Sprint(value)
}

func quoted(text string) string { return strconv.Quote(cut(text)) }

func cut(text string) string {
	if runes := []rune(text); len(runes) > quotedCharacters {
		return string(runes[:quotedCharacters]) + "…"
	}
	return text
}

// full is the name of a member as messages call it.
func (object *members) full(name string) string { return object.prefix + name }

// take takes a member out, if it is there.
func (object *members) take(name string) (any, bool) {
	value, found := object.values[name]
	delete(object.values, name)
	return value, found
}

// require takes out a member that has to be there.
func (object *members) require(name, legal string) (any, *Failure) {
	value, found := object.take(name)
	if !found {
		full := object.full(name)
		return nil, InvalidRequest(full, fmt.Sprintf("member %s is missing, legal is %s", full, legal))
	}
	return value, nil
}

// wrong is the failure of a member whose value is not legal.
func (object *members) wrong(name string, value any, legal string) *Failure {
	full := object.full(name)
	return InvalidRequest(full, fmt.Sprintf("%s is %s, legal is %s", full, shown(value), legal))
}

// object takes out the object that stands as member `name`; an empty one where it is missing.
func (object *members) object(name string) (*members, *Failure) {
	value, found := object.take(name)
	if !found {
		value = &members{}
	}
	inner, ok := value.(*members)
	if !ok {
		return nil, object.wrong(name, value, "an object")
	}
	return &members{object.full(name) + ".", inner.order, inner.values}, nil
}

// text takes out a string that has to be there.
func (object *members) text(name, legal string) (string, *Failure) {
	value, failure := object.require(name, legal)
	if failure != nil {
		return "", failure
	}
	text, ok := value.(string)
	if !ok {
		return "", object.wrong(name, value, legal)
	}
	return text, nil
}

// integer takes out a whole number of a range that has to be there.
func (object *members) integer(name string, minimum, maximum uint64) (uint64, *Failure) {
	legal := integerRange(minimum, maximum)
	value, failure := object.require(name, legal)
	if failure != nil {
		return 0, failure
	}
	whole, ok := asInteger(value)
	if !ok || whole < minimum || whole > maximum {
		return 0, object.wrong(name, value, legal)
	}
	return whole, nil
}

// choice takes out one of several names that has to be there.
func (object *members) choice(name string, values []string) (string, *Failure) {
	legal := listed(values)
	value, failure := object.require(name, legal)
	if failure != nil {
		return "", failure
	}
	if text, ok := value.(string); ok && slices.Contains(values, text) {
		return text, nil
	}
	return "", object.wrong(name, value, legal)
}

// finish fails if a member is left that nobody asked for, and names the first.
func (object *members) finish(legal string) *Failure {
	for _, name := range object.order {
		if _, left := object.values[name]; left {
			full := object.full(name)
			return InvalidRequest(full, fmt.Sprintf("member %s is unknown, legal is %s", quoted(full), legal))
		}
	}
	return nil
}

// asInteger reads a number that was written as a whole number without a sign.
func asInteger(value any) (uint64, bool) {
	written, ok := value.(number)
	if !ok {
		return 0, false
	}
	whole, err := strconv.ParseUint(written.String(), 10, 64)
	return whole, err == nil
}

func integerRange(minimum, maximum uint64) string {
	return fmt.Sprintf("an integer from %d to %d", minimum, maximum)
}
