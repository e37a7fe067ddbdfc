package protocol

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func toyHashArtifacts(t *testing.T, changes map[string]any) string {
	t.Helper()
	folder := t.TempDir()
	if records, allDone := answers(t, runInProcess, line(t, toyHash(with(changes, map[string]any{"artifacts": folder})))); !allDone {
		t.Fatal(records)
	}
	return folder
}

func toyHashVerify(id, folder string, changes map[string]any) map[string]any {
	return toyVerify(id, folder, with(map[string]any{
		"statement": "hash-preimage", "size": map[string]any{"bytes": 100},
	}, changes))
}

func TestMessageIsMadeOfTheDigestsInTheirOrder(t *testing.T) {
	seed := Seed{1, 2, 3}
	var digests []byte
	for _, label := range []string{"hash/message/0", "hash/message/1", "hash/message/2"} {
		hashed := "nizk-bench/v1\x00" + label + "\x00" + string(seed[:]) + "\x07\x00\x00\x00\x00\x00\x00\x00"
		digest := sha512.Sum512([]byte(hashed))
		digests = append(digests, digest[:]...)
	}
	for _, length := range []int{1, 63, 64, 65, 128, 150} {
		if message := HashMessage(seed, 7, length); !bytes.Equal(message, digests[:length]) {
			t.Errorf("the message of %d bytes is %x", length, message)
		}
	}
	if bytes.Equal(HashMessage(seed, 7, 64), HashMessage(seed, 8, 64)) {
		t.Error("two instances have one message")
	}
}

func TestHalvesOfADigestAreBigEndian(t *testing.T) {
	publicInput := &HashPublicInput{}
	publicInput.Digest[0], publicInput.Digest[15], publicInput.Digest[31] = 1, 2, 3
	halves := publicInput.Halves()
	first := new(big.Int).Lsh(big.NewInt(1), 120)
	mustBe(t, "the first half", halves[0].Cmp(first.Add(first, big.NewInt(2))), 0)
	mustBe(t, "the last half", halves[1].Int64(), 3)
}

func TestHashArtifactsAreAcceptedAndBoundToStatementSizeAndFunction(t *testing.T) {
	folder := toyHashArtifacts(t, map[string]any{})
	accepted := verdict(t, toyHashVerify("a", folder, nil))
	mustBe(t, "accepted", accepted["accepted"], any(true))

	digest := sha256.Sum256(HashMessage(Seed{}, 1, 100)) // instance 0 was the warm-up
	content, err := os.ReadFile(filepath.Join(folder, "public_input.json"))
	if err != nil {
		t.Fatal(err)
	}
	mustBe(t, "public input", string(content), fmt.Sprintf(
		`{"statement":"hash-preimage","function":"sha256","bytes":100,"digest":"%x"}`, digest))

	content, err = os.ReadFile(filepath.Join(folder, "verifying_key.bin"))
	if err != nil {
		t.Fatal(err)
	}
	header := sha256.Sum256(binary.LittleEndian.AppendUint64(
		[]byte("nizk-bench/v1/key\x00toy/echo/f64\x00function=sha256\x00"), 100))
	mustBe(t, "key file", string(content), string(header[:])+"key")

	shorter := toyHashArtifacts(t, map[string]any{"size": map[string]any{"bytes": 99}})
	foreign := verdict(t, toyHashVerify("a", folder, map[string]any{"verifying_key": filepath.Join(shorter, "verifying_key.bin")}))
	mustBe(t, "a key of another size is accepted", foreign["accepted"], any(false))
}

func TestOneProcessServesBothStatements(t *testing.T) {
	records, allDone := answers(t, runInProcess, line(t, toyRequest(nil))+line(t, toyHash(map[string]any{"id": "b"})))
	mustBe(t, "all done", allDone, true)
	mustBe(t, "done", column(ofType(records, "done"), "id"), "a b")
	records, allLegal := answers(t, classifyInProcess, line(t, toyHash(nil)))
	mustBe(t, "all legal", allLegal, true)
	mustBe(t, "classified", column(records, "type"), "legal")

	mimc, hash := toyArtifacts(t, map[string]any{}), toyHashArtifacts(t, map[string]any{})
	records, allJudged := answers(t, verifyInProcess, line(t, toyVerify("a", mimc, nil))+line(t, toyHashVerify("b", hash, nil))+
		line(t, toyHashVerify("c", mimc, nil))+line(t, toyVerify("d", hash, nil)))
	mustBe(t, "all judged", allJudged, true)
	mustBe(t, "verdicts", column(records, "accepted"), "true true false false")
}

func TestHashPublicInputThatNobodyWouldWriteIsRejected(t *testing.T) {
	folder := toyHashArtifacts(t, map[string]any{})
	text, err := os.ReadFile(filepath.Join(folder, "public_input.json"))
	if err != nil {
		t.Fatal(err)
	}
	good := string(text)
	_, rest, _ := strings.Cut(good, `"digest":"`)
	digest := rest[:64]
	for _, change := range [][2]string{
		{"hash-preimage", "mimc-preimage"},
		{`"function":"sha256"`, `"function":"blake2s"`},
		{`"function":"sha256",`, ``},
		{`"bytes":100`, `"bytes":101`},
		{`"bytes":100`, `"bytes":100.0`},
		{`"bytes":100`, `"bytes":"100"`},
		{`"bytes":100,`, ``},
		{`"bytes":100`, `"rounds":100`},
		{`"bytes":100,`, `"bytes":100,"bytes":100,`},
		{digest, strings.ToUpper(digest)},
		{digest, digest[1:]},
		{digest, digest + "0"},
		{digest, "0x" + digest},
		{digest, "g" + digest[1:]},
		{digest, strings.Repeat("0", 64)},
		{`"` + digest + `"`, `1`},
		{`,"digest":"` + digest + `"`, ``},
		{"{", `{"message":"00",`},
		{"{", `{"constants":[],`},
		{"}", "} x"},
		{"}", ""},
	} {
		path := rewrite(t, folder, "public_input.json", func(content string) string {
			if !strings.Contains(content, change[0]) || change[0] == change[1] {
				t.Fatalf("%q changes nothing in %q", change, content)
			}
			return strings.Replace(content, change[0], change[1], 1)
		})
		answer := verdict(t, toyHashVerify("a", folder, map[string]any{"public_input": path}))
		if answer["type"] != "verdict" || answer["accepted"] != false || answer["reason"] == "" {
			t.Errorf("%q in the place of %q is answered by %v", change[1], change[0], answer)
		}
	}
}

func TestDigestThatIsAnElementIsBelowTheOrder(t *testing.T) {
	modulus := new(big.Int).Lsh(big.NewInt(3), 250)
	for _, digest := range []struct {
		function string
		value    *big.Int
		legal    bool
	}{
		{Poseidon, new(big.Int).Sub(modulus, big.NewInt(1)), true},
		{Poseidon, modulus, false},
		{Mimc7, modulus, false},
		{MimcSponge, modulus, false},
		{SHA256, modulus, true},
		{SHA3, modulus, true},
		{Blake2s, modulus, true},
	} {
		configuration := &Configuration{
			Statement: HashStatement,
			Size:      32,
			variant:   map[string]string{HashVariantFunction: digest.function},
		}
		written := &HashPublicInput{[32]byte(digest.value.FillBytes(make([]byte, 32)))}
		text, err := written.encode(configuration)
		if err != nil {
			t.Fatal(err)
		}
		read, err := decodePublicInput(text, configuration, modulus)
		mustBe(t, digest.function+" is read", err == nil, digest.legal)
		if err == nil {
			mustBe(t, "digest", read.(*HashPublicInput).Digest, written.Digest)
		}
	}
}

func TestBytesAreReadOnlyAsTheyAreWritten(t *testing.T) {
	var two [2]byte
	mustBe(t, "read", decodeBytes("00ff", two[:]), true)
	mustBe(t, "written", encodeBytes(two[:]), hex.EncodeToString([]byte{0, 255}))
	for _, text := range []string{"", "00", "00f", "00FF", "0x00", "00ff00", "zz00", " 0ff"} {
		mustBe(t, text, decodeBytes(text, two[:]), false)
	}
}
