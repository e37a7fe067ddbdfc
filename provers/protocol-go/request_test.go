package protocol

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestMalformedRequestIsAnsweredByExactlyOneErrorThatNamesTheMember(t *testing.T) {
	changed := func(name string, value any) string {
		return line(t, toyRequest(map[string]any{name: value}))
	}
	stop := func(name string, value any) string {
		rule := map[string]any{"warmup": 1, "minimum": 2, "maximum": 3, "seconds": 1}
		rule[name] = value
		if value == nil {
			delete(rule, name)
		}
		return changed("stop", rule)
	}
	const anonymous = "<nil>"
	for _, malformed := range []struct{ what, line, id, option string }{
		{"an empty line", "\n", anonymous, anonymous},
		{"no JSON", "hello\n", anonymous, anonymous},
		{"an object cut short", `{"id":"a"` + "\n", anonymous, anonymous},
		{"an array", "[]\n", anonymous, anonymous},
		{"two objects", "{} {}\n", anonymous, anonymous},
		{"a member given twice", `{"id":"a","id":"b"}` + "\n", anonymous, anonymous},
		{"bytes that are not UTF-8", "{\"id\":\"\xff\"}\n", anonymous, anonymous},
		{"deep nesting", strings.Repeat("[", 100000) + "\n", anonymous, anonymous},
		{"a line above 4 MiB", `{"id":"` + strings.Repeat("a", 4<<20) + "\"}\n", anonymous, anonymous},
		{"no id", changed("id", nil), anonymous, "id"},
		{"an empty id", changed("id", ""), anonymous, "id"},
		{"an id that is a number", changed("id", 1), anonymous, "id"},
		{"an id of 129 bytes", changed("id", strings.Repeat("a", 129)), anonymous, "id"},
		{"no type", changed("type", nil), "a", "type"},
		{"another type", changed("type", "verify"), "a", "type"},
		{"an unknown member", changed("colour", "red"), "a", "colour"},
		{"a member in another case", changed("Threads", 1), "a", "Threads"},
		{"an unknown system", changed("system", "toy/echo/f65"), "a", "system"},
		{"an unknown statement", changed("statement", "sudoku"), "a", "statement"},
		{"no size", changed("size", nil), "a", "size.rounds"},
		{"a size that is a number", changed("size", 7), "a", "size"},
		{"a size too small", changed("size", map[string]any{"rounds": 6}), "a", "size.rounds"},
		{"a size too large", changed("size", map[string]any{"rounds": 16384}), "a", "size.rounds"},
		{"a size that is no whole number", changed("size", map[string]any{"rounds": 7.5}), "a", "size.rounds"},
		{"a size written as a float", changed("size", map[string]any{"rounds": json.Number("7.0")}), "a", "size.rounds"},
		{"a size with another name", changed("size", map[string]any{"rounds": 7, "bytes": 7}), "a", "size.bytes"},
		{"an unknown variant", changed("variant", map[string]any{"gadget": "x"}), "a", "variant.gadget"},
		{"an unknown value of a variant", changed("variant", map[string]any{"constants": "unbound"}), "a", "variant.constants"},
		{"a variant that is an array", changed("variant", []any{}), "a", "variant"},
		{"an unknown option", changed("options", map[string]any{"querys": 1}), "a", "querys"},
		{"an option out of range", changed("options", map[string]any{"queries": 300}), "a", "queries"},
		{"an option that is negative", changed("options", map[string]any{"queries": -1}), "a", "queries"},
		{"an option of another type", changed("options", map[string]any{"queries": "42"}), "a", "queries"},
		{"an option between legal values", changed("options", map[string]any{"blowup": 3}), "a", "blowup"},
		{"an unknown choice", changed("options", map[string]any{"fault": "all"}), "a", "fault"},
		{"no threads", changed("threads", 0), "a", "threads"},
		{"more threads than processors", changed("threads", runtime.NumCPU()+1), "a", "threads"},
		{"a short seed", changed("seed", "00"), "a", "seed"},
		{"a seed in capitals", changed("seed", strings.Repeat("A", 64)), "a", "seed"},
		{"a seed that is not hexadecimal", changed("seed", strings.Repeat("g", 64)), "a", "seed"},
		{"unknown instances", changed("instances", "stale"), "a", "instances"},
		{"a negative first instance", changed("first_instance", -1), "a", "first_instance"},
		{"a first instance without room", changed("first_instance", uint64(1<<63-1)), "a", "first_instance"},
		{"no stop rule", changed("stop", nil), "a", "stop.warmup"},
		{"a minimum of zero", stop("minimum", 0), "a", "stop.minimum"},
		{"a maximum below the minimum", stop("maximum", 1), "a", "stop.maximum"},
		{"too many samples", stop("maximum", 1000001), "a", "stop.maximum"},
		{"too much warm-up", stop("warmup", 1001), "a", "stop.warmup"},
		{"no seconds", stop("seconds", nil), "a", "stop.seconds"},
		{"zero seconds", stop("seconds", 0), "a", "stop.seconds"},
		{"more than a day", stop("seconds", 86400.5), "a", "stop.seconds"},
		{"seconds that overflow", stop("seconds", json.Number("1e999")), "a", "stop.seconds"},
		{"an unknown rule", stop("patience", 1), "a", "stop.patience"},
		{"no phases", changed("phases", []string{}), "a", "phases"},
		{"an unknown phase", changed("phases", []string{"rest"}), "a", "phases"},
		{"a phase twice", changed("phases", []string{"prove", "prove"}), "a", "phases"},
		{"phases that are a string", changed("phases", "prove"), "a", "phases"},
		{"a batch of one", changed("batch", 1), "a", "batch"},
		{"a batch too large", changed("batch", 1025), "a", "batch"},
		{"a batch in words", changed("batch", "many"), "a", "batch"},
		{"a batch without verifying", line(t, toyRequest(map[string]any{"batch": 2, "phases": []string{"prove"}})), "a", "batch"},
		{"a batch", changed("batch", 2), "a", "batch"},
		{"artifacts in no folder", changed("artifacts", "/nowhere/at/all"), "a", "artifacts"},
		{"artifacts that are a number", changed("artifacts", 1), "a", "artifacts"},
		{"a size of another statement", changed("statement", "hash-preimage"), "a", "size.bytes"},
		{"a message without bytes", line(t, toyHash(map[string]any{"size": map[string]any{"bytes": 0}})), "a", "size.bytes"},
		{"a message too long", line(t, toyHash(map[string]any{"size": map[string]any{"bytes": 4097}})), "a", "size.bytes"},
		{"an unknown function", line(t, toyHash(map[string]any{"variant": map[string]any{"function": "md5"}})), "a", "variant.function"},
		{"a variant of another statement", line(t, toyHash(map[string]any{"variant": map[string]any{"constants": "fixed"}})), "a", "variant.constants"},
	} {
		t.Run(malformed.what, func(t *testing.T) {
			records, allDone := answers(t, runInProcess, malformed.line+line(t, toyRequest(map[string]any{"id": "next"})))
			errors := ofType(records, "error")
			if len(errors) != 1 || allDone {
				t.Fatalf("%d errors, all done: %t", len(errors), allDone)
			}
			kind := "invalid-request"
			if malformed.what == "more threads than processors" || malformed.what == "a batch" {
				kind = "unsupported"
			}
			mustBe(t, "kind", errors[0]["kind"], any(kind))
			mustBe(t, "id", fmt.Sprint(errors[0]["id"]), malformed.id)
			mustBe(t, "option", fmt.Sprint(errors[0]["option"]), malformed.option)
			if message := fmt.Sprint(errors[0]["message"]); len(message) < 10 || len(message) > 600 || strings.Contains(message, "\n") {
				t.Errorf("the message is no sentence: %q", message)
			}
			mustBe(t, "requests done afterwards", len(ofType(records, "done")), 1)
		})
	}
}

func TestLongestLineIsRead(t *testing.T) {
	request := strings.TrimSuffix(line(t, toyRequest(nil)), "\n")
	padded := request + strings.Repeat(" ", maximumLineBytes-len(request))
	records, allDone := answers(t, runInProcess, padded)
	if !allDone || len(ofType(records, "done")) != 1 {
		t.Errorf("a line of %d bytes without an end is not answered: %v", len(padded), records)
	}
	records, _ = answers(t, runInProcess, padded+" ")
	mustBe(t, "errors for one byte more", len(ofType(records, "error")), 1)
}

func TestIntegersAreReadOnlyAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{"0x0", "0x1", "0x10", "0xdeadbeef", "0x" + strings.Repeat("f", 64)} {
		value, ok := decodeInteger(text)
		if !ok || encodeInteger(value) != text {
			t.Errorf("%s is read as %v", text, value)
		}
	}
	for _, text := range []string{"", "0", "0x", "0x00", "0x01", "0xA", "0xg", "0x1g1", "0x_1", "0x1_1", "0x-1", "0x+1", "1", "0X1", " 0x1", "0x1 ", "0x1" + strings.Repeat("0", 64)} {
		if value, ok := decodeInteger(text); ok {
			t.Errorf("%q is read as %v", text, value)
		}
	}
}
