package protocol

import (
	"crypto/sha512"
	"encoding/binary"
)

// Seed is the 32 bytes from which everything random in a statement follows.
type Seed [32]byte

// ParseSeed reads 64 lower-case hexadecimal digits; nothing else is a seed.
func ParseSeed(text string) (Seed, bool) {
	var seed Seed
	if !decodeBytes(text, seed[:]) {
		return Seed{}, false
	}
	return seed, true
}

// Digest returns what a field reduces to `element(label, seed, index)` of STATEMENTS.md: SHA-512
// over `"nizk-bench/v1" ‖ 0 ‖ label ‖ 0 ‖ seed ‖ LE64(index)`, an unsigned little-endian integer.
func (seed Seed) Digest(label string, index uint64) [sha512.Size]byte {
	message := append([]byte("nizk-bench/v1\x00"), label...)
	message = append(message, 0)
	message = append(message, seed[:]...)
	message = binary.LittleEndian.AppendUint64(message, index)
	return sha512.Sum512(message)
}
