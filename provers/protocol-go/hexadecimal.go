package protocol

import (
	"encoding/hex"
	"math/big"
	"strings"
)

// maximumDigits is the length of the largest integer of 32 bytes in hexadecimal.
const maximumDigits = 64

// encodeInteger writes an integer as `0x` and lower-case digits without leading zeros.
func encodeInteger(value *big.Int) string {
	return "0x" + value.Text(16)
}

// decodeInteger reads what [encodeInteger] writes for integers below 2²⁵⁶, and nothing else.
func decodeInteger(text string) (*big.Int, bool) {
	digits, found := strings.CutPrefix(text, "0x")
	canonical := found && digits != "" && len(digits) <= maximumDigits &&
		(digits[0] != '0' || digits == "0")
	notADigit := func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }
	if !canonical || strings.ContainsFunc(digits, notADigit) {
		return nil, false
	}
	return new(big.Int).SetString(digits, 16)
}

// encodeBytes writes every byte as two lower-case digits.
func encodeBytes(bytes []byte) string { return hex.EncodeToString(bytes) }

// decodeBytes reads what [encodeBytes] writes for exactly as many bytes as `into` has, and nothing
// else.
func decodeBytes(text string, into []byte) bool {
	if len(text) != 2*len(into) || strings.ToLower(text) != text {
		return false
	}
	_, err := hex.Decode(into, []byte(text))
	return err == nil
}
