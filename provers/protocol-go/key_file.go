package protocol

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
)

// keyHeader is what the file of a verifying key begins with: SHA-256 over `"nizk-bench/v1/key" ‖ 0 ‖
// system ‖ 0 ‖ canonical variant ‖ 0 ‖ LE64(size) ‖ constants`. It binds the key to them. The
// constants are hashed where the circuit has fixed them and nowhere else.
type keyHeader [sha256.Size]byte

func newKeyHeader(configuration *Configuration, publicInput PublicInput) keyHeader {
	message := []byte("nizk-bench/v1/key\x00" + configuration.System + "\x00" +
		configuration.CanonicalVariant() + "\x00")
	message = binary.LittleEndian.AppendUint64(message, uint64(configuration.Size))
	for _, constant := range publicInput.constantsOfKey(configuration) {
		var element [32]byte
		constant.FillBytes(element[:])
		slices.Reverse(element[:])
		message = append(message, element[:]...)
	}
	return sha256.Sum256(message)
}

// splitKeyFile takes the file of a verifying key apart; the header is yet to be compared.
func splitKeyFile(file []byte) (header keyHeader, library []byte, err error) {
	if len(file) < len(header) {
		return header, nil, fmt.Errorf("the verifying key has %d bytes, its header alone has %d", len(file), len(header))
	}
	return keyHeader(file[:len(header)]), file[len(header):], nil
}
