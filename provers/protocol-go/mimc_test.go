package protocol

import (
	"encoding/json"
	"math/big"
	"os"
	"testing"
)

// TestKnownAnswersOfTheIndependentReferenceAreMet compares with data/vectors, which
// nizkbench/reference.py made without this code. Answers over an extension are another library's: a
// Field has a prime order.
func TestKnownAnswersOfTheIndependentReferenceAreMet(t *testing.T) {
	text, err := os.ReadFile("../../data/vectors/mimc-preimage.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Fields  map[string]string `json:"fields"`
		Answers []struct {
			Field         string `json:"field"`
			Seed          string `json:"seed"`
			Rounds        int    `json:"rounds"`
			Instance      uint64 `json:"instance"`
			Left          string `json:"left"`
			Right         string `json:"right"`
			FirstConstant string `json:"first_constant"`
			LastConstant  string `json:"last_constant"`
			Image         string `json:"image"`
		} `json:"answers"`
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Answers) == 0 {
		t.Fatal("there are no answers")
	}
	compared := map[string]bool{}
	for _, answer := range vectors.Answers {
		modulus, ok := decodeInteger(vectors.Fields[answer.Field])
		seed, isSeed := ParseSeed(answer.Seed)
		if !ok || !isSeed {
			t.Fatalf("field %s or seed %s cannot be read", answer.Field, answer.Seed)
		}
		if !modulus.ProbablyPrime(20) {
			continue
		}
		compared[answer.Field] = true
		field := Field{modulus}
		constants := field.MimcConstants(seed, answer.Rounds)
		left, right := field.MimcPreimage(seed, answer.Instance)
		mustBe(t, "left", encodeInteger(left), answer.Left)
		mustBe(t, "right", encodeInteger(right), answer.Right)
		mustBe(t, "first constant", encodeInteger(constants[0]), answer.FirstConstant)
		mustBe(t, "last constant", encodeInteger(constants[answer.Rounds-1]), answer.LastConstant)
		mustBe(t, "image", encodeInteger(field.MimcImage(constants, left, right)), answer.Image)
	}
	if len(compared) != 5 {
		t.Errorf("answers over the fields %v were compared, expected five of prime order", compared)
	}
}

func TestImageLeavesThePreimageAsItWas(t *testing.T) {
	left, right := big.NewInt(3), big.NewInt(5)
	toyField.MimcImage([]*big.Int{big.NewInt(1), big.NewInt(2)}, left, right)
	if left.Int64() != 3 || right.Int64() != 5 {
		t.Errorf("the preimage became %v, %v", left, right)
	}
}
