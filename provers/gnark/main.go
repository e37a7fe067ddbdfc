// Command nizk-gnark measures gnark's Groth16 and PLONK on BLS12-381 and BN254.
package main

import (
	"os"

	"github.com/consensys/gnark"
	"github.com/consensys/gnark/logger"
	"github.com/rs/zerolog"

	"nizk-bench/provers/protocol-go"
)

func main() {
	// gnark logs to standard output, which belongs to the records; and it warns of an empty list of
	// public inputs inside the timed regions.
	logger.Set(zerolog.New(os.Stderr).Level(zerolog.ErrorLevel))
	os.Exit(protocol.Main(runner()))
}

func runner() protocol.Runner {
	return protocol.Runner{
		Name:          "gnark",
		Library:       protocol.Library{Name: "gnark", Version: gnark.Version.String()},
		BuildFeatures: []string{},
		Systems:       systems(),
	}
}
