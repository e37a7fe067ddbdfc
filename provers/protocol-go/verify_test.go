package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// toyArtifacts lets the toy prove, and returns the folder with what it left.
func toyArtifacts(t *testing.T, changes map[string]any) string {
	t.Helper()
	folder := t.TempDir()
	changes = with(changes, map[string]any{"artifacts": folder})
	if records, allDone := answers(t, runInProcess, line(t, toyRequest(changes))); !allDone {
		t.Fatal(records)
	}
	return folder
}

func toyVerify(id, folder string, changes map[string]any) map[string]any {
	return with(map[string]any{
		"type": "verify", "id": id, "system": "toy/echo/f64", "statement": "mimc-preimage",
		"size":          map[string]any{"rounds": 7},
		"public_input":  filepath.Join(folder, "public_input.json"),
		"verifying_key": filepath.Join(folder, "verifying_key.bin"),
		"proof":         filepath.Join(folder, "proof.bin"),
	}, changes)
}

func rewrite(t *testing.T, folder, name string, change func(string) string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(change(string(content))), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func verdict(t *testing.T, request map[string]any) record {
	t.Helper()
	records, _ := answers(t, verifyInProcess, line(t, request))
	if len(records) != 1 {
		t.Fatalf("%d answers to one request: %v", len(records), records)
	}
	return records[0]
}

func TestArtifactsOfTheFirstCountedSampleAreAccepted(t *testing.T) {
	folder := toyArtifacts(t, map[string]any{})
	accepted := verdict(t, toyVerify("a", folder, nil))
	mustBe(t, "accepted", accepted["accepted"], any(true))
	mustBe(t, "reason", accepted["reason"], any(""))
	left, right := toyField.MimcPreimage(Seed{}, 1)
	image := toyField.MimcImage(toyField.MimcConstants(Seed{}, 7), left, right)
	content, err := os.ReadFile(filepath.Join(folder, "public_input.json"))
	if err != nil || !strings.HasPrefix(string(content), `{"statement":"mimc-preimage","rounds":7,"image":"`+encodeInteger(image)+`","constants":["0x`) {
		t.Errorf("the public input of instance 1 is %s (%v)", content, err)
	}
}

func TestKeyFileBeginsWithTheHashOfWhatItIsBoundTo(t *testing.T) {
	for variant, hashed := range map[string]bool{"fixed": true, "public": false} {
		folder := toyArtifacts(t, map[string]any{"variant": map[string]any{"constants": variant}})
		content, err := os.ReadFile(filepath.Join(folder, "verifying_key.bin"))
		if err != nil {
			t.Fatal(err)
		}
		message := "nizk-bench/v1/key\x00toy/echo/f64\x00constants=" + variant + "\x00\x07\x00\x00\x00\x00\x00\x00\x00"
		if hashed {
			for _, constant := range toyField.MimcConstants(Seed{}, 7) {
				message += string(binary.LittleEndian.AppendUint64(nil, constant.Uint64())) + strings.Repeat("\x00", 24)
			}
		}
		header := sha256.Sum256([]byte(message))
		mustBe(t, "key file", string(content), string(header[:])+"key")
	}
}

func TestFilesThatAreNotTrueAreRejectedAndNeverAnError(t *testing.T) {
	folder := toyArtifacts(t, map[string]any{})
	other := toyArtifacts(t, map[string]any{"seed": strings.Repeat("1", 64)})
	keep := func(content string) string { return content }
	replace := func(old, new string) func(string) string {
		return func(content string) string {
			if !strings.Contains(content, old) {
				t.Fatalf("%q is not in %q", old, content)
			}
			return strings.Replace(content, old, new, 1)
		}
	}
	for _, tampered := range []struct {
		what, member, file string
		change             func(string) string
	}{
		{"an empty proof", "proof", "proof.bin", func(string) string { return "" }},
		{"a proof that makes the library panic", "proof", "proof.bin", func(string) string { return "panic" }},
		{"an empty key", "verifying_key", "verifying_key.bin", func(string) string { return "" }},
		{"a key with another header", "verifying_key", "verifying_key.bin", func(key string) string { return strings.Repeat("x", 32) + key[32:] }},
		{"a key that the library refuses", "verifying_key", "verifying_key.bin", func(key string) string { return key + "s" }},
		{"an empty public input", "public_input", "public_input.json", func(string) string { return "" }},
		{"a public input of another statement", "public_input", "public_input.json", replace("mimc", "mimi")},
		{"a public input of other rounds", "public_input", "public_input.json", replace(`"rounds":7`, `"rounds":8`)},
		{"an image that is not canonical", "public_input", "public_input.json", replace(`"image":"0x`, `"image":"0x0`)},
		{"an image that is no field element", "public_input", "public_input.json", func(string) string {
			return `{"statement":"mimc-preimage","rounds":7,"image":"0xffffffff00000001","constants":["0x0","0x0","0x0","0x0","0x0","0x0","0x0"]}`
		}},
		{"a constant less", "public_input", "public_input.json", replace(`"constants":["0x`, `"constants":["0x1","0x`)},
		{"an unknown member", "public_input", "public_input.json", replace("{", `{"hint":1,`)},
		{"a public preimage", "public_input", "public_input.json", replace("{", `{"preimage":["0x1","0x2"],`)},
	} {
		path := rewrite(t, folder, tampered.file, tampered.change)
		answer := verdict(t, toyVerify("a", folder, map[string]any{tampered.member: path}))
		if answer["type"] != "verdict" || answer["accepted"] != false || answer["reason"] == "" {
			t.Errorf("%s is answered by %v", tampered.what, answer)
		}
	}
	answer := verdict(t, toyVerify("a", folder, map[string]any{"public_input": rewrite(t, other, "public_input.json", keep)}))
	mustBe(t, "other constants are accepted", answer["accepted"], any(false))
	answer = verdict(t, toyVerify("a", folder, map[string]any{"proof": folder}))
	mustBe(t, "a folder is accepted", answer["accepted"], any(false))
}

func TestPreparedKeyIsBoundToThePublicInputEachTime(t *testing.T) {
	folder := toyArtifacts(t, map[string]any{})
	other := toyArtifacts(t, map[string]any{"seed": strings.Repeat("1", 64)})
	foreign := map[string]any{
		"public_input": filepath.Join(other, "public_input.json"),
		"proof":        filepath.Join(other, "proof.bin"),
	}
	input := line(t, toyVerify("a", folder, nil)) + line(t, toyVerify("b", folder, foreign)) + line(t, toyVerify("c", folder, nil))
	records, allJudged := answers(t, verifyInProcess, input)
	mustBe(t, "all judged", allJudged, true)
	mustBe(t, "verdicts", column(records, "accepted"), "true false true")
}

func TestMissingFileIsTheFaultOfTheRequest(t *testing.T) {
	folder := toyArtifacts(t, map[string]any{})
	for _, member := range []string{"public_input", "verifying_key", "proof"} {
		for _, path := range []string{filepath.Join(folder, "nothing"), filepath.Join(folder, "proof.bin", "inside")} {
			answer := verdict(t, toyVerify("a", folder, map[string]any{member: path}))
			mustBe(t, "kind", answer["kind"], any("invalid-request"))
			mustBe(t, "option", answer["option"], any(member))
		}
	}
	records, status := startToy(t, line(t, toyVerify("a", folder, map[string]any{"proof": "/nowhere"})), "verify")
	mustBe(t, "records", column(records, "type"), "error")
	mustBe(t, "status", status, 1)
}
