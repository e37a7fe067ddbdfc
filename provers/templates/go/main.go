// Command nizk-newcomer measures newcomer.
package main

import (
	"os"

	"nizk-bench/provers/protocol-go"
)

func main() {
	os.Exit(protocol.Main(protocol.Runner{
		Name:          "newcomer",
		Library:       protocol.Library{Name: "newcomer", Version: "0.0.0"},
		BuildFeatures: []string{},
		Systems:       []protocol.System{measured{}},
	}))
}
