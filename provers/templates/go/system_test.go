package main

import "testing"

func TestTheDescriptionHasNoFaults(t *testing.T) {
	if faults := (measured{}).Description().Faults(); len(faults) > 0 {
		t.Error(faults)
	}
}
