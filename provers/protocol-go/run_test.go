package protocol

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func toyStop(warmup, minimum, maximum int, seconds float64) map[string]any {
	return map[string]any{"stop": map[string]any{
		"warmup": warmup, "minimum": minimum, "maximum": maximum, "seconds": seconds,
	}}
}

func with(base map[string]any, more map[string]any) map[string]any {
	for name, value := range more {
		base[name] = value
	}
	return base
}

func TestMaximumEndsALoopThatIsFast(t *testing.T) {
	records, allDone := answers(t, runInProcess, line(t, toyRequest(toyStop(2, 1, 4, 3600))))
	if !allDone {
		t.Fatal(records)
	}
	done := ofType(records, "done")[0]
	mustBe(t, "stopped_by", done["stopped_by"], any("maximum"))
	mustBe(t, "samples", done["samples"], any(4.0))
	proofs := samplesOf(records, Prove)
	mustBe(t, "samples", column(proofs, "sample"), "0 1 2 3 4 5")
	mustBe(t, "instances", column(proofs, "instance"), "0 1 2 3 4 5")
	mustBe(t, "warm-up", column(proofs, "warmup"), "true true false false false false")
	mustBe(t, "compilations", len(samplesOf(records, Compile)), 1)
}

func TestSecondsEndALoopAfterTheMinimum(t *testing.T) {
	slow := map[string]any{"options": map[string]any{"fault": "slow"}}
	records, _ := answers(t, runInProcess, line(t, toyRequest(with(toyStop(1, 3, 1000, 1e-9), slow))))
	done := ofType(records, "done")[0]
	mustBe(t, "stopped_by", done["stopped_by"], any("seconds"))
	mustBe(t, "samples", done["samples"], any(3.0))
	records, _ = answers(t, runInProcess, line(t, toyRequest(with(toyStop(0, 1, 1000, 0.05), slow))))
	done = ofType(records, "done")[0]
	mustBe(t, "stopped_by", done["stopped_by"], any("seconds"))
	spent := 0.0
	for _, sample := range ofType(records, "sample") {
		if sample["instance"] != nil {
			spent += sample["wall_ns"].(float64)
		}
	}
	if count := done["samples"].(float64); spent < 0.05e9 || count < 2 || count > 5 {
		t.Errorf("%v samples of 10 ms each, %v ns in all, for 50 ms", count, spent)
	}
}

func TestFixedInstancesAreOneInstance(t *testing.T) {
	records, _ := answers(t, runInProcess, line(t, toyRequest(map[string]any{"instances": "fixed", "first_instance": 9})))
	mustBe(t, "instances", column(samplesOf(records, Prove), "instance"), "9 9 9 9")
}

func TestVerifyAloneVerifiesOneProofAgainAndAgain(t *testing.T) {
	records, _ := answers(t, runInProcess, line(t, toyRequest(map[string]any{"phases": []string{"verify"}, "first_instance": 5})))
	mustBe(t, "instances", column(samplesOf(records, Verify), "instance"), "5 5 5 5")
	mustBe(t, "samples of prove", len(samplesOf(records, Prove)), 0)
	mustBe(t, "proofs made", column(ofType(records, "counter"), "name"), "proofs half threads")
}

func TestPhasesThatAreNotTimedAreIgnoredAndMayLeaveNoLoop(t *testing.T) {
	records, allDone := answers(t, runInProcess, line(t, toyRequest(map[string]any{"phases": []string{"compile", "setup", "witness"}})))
	mustBe(t, "all done", allDone, true)
	mustBe(t, "phases", column(ofType(records, "sample"), "phase"), "compile")
	mustBe(t, "stopped_by", ofType(records, "done")[0]["stopped_by"], any("no-loop"))
	mustBe(t, "samples", ofType(records, "done")[0]["samples"], any(0.0))
}

func TestWhatStaysIsWrittenOnceAndAfterTheFirstCountedSample(t *testing.T) {
	records, _ := answers(t, runInProcess, line(t, toyRequest(nil)))
	mustBe(t, "checks", column(ofType(records, "check"), "check"), "self-verify")
	mustBe(t, "sizes", column(ofType(records, "size"), "sample"), "<nil>")
	mustBe(t, "counters", column(ofType(records, "counter"), "name"), "proofs proofs half threads proofs proofs")
	mustBe(t, "their samples", column(ofType(records, "counter"), "sample"), "0 1 <nil> <nil> 2 3")
	mustBe(t, "their values", column(ofType(records, "counter"), "value"), fmt.Sprintf("1 2 0.5 %d 3 4", runtime.NumCPU()))
}

func TestPanicIsAnInternalErrorAndTheProcessGoesOn(t *testing.T) {
	input := line(t, toyRequest(map[string]any{"options": map[string]any{"fault": "panic"}})) +
		line(t, toyRequest(map[string]any{"id": "b"}))
	records, allDone := answers(t, runInProcess, input)
	mustBe(t, "all done", allDone, false)
	failures := ofType(records, "error")
	mustBe(t, "errors", column(failures, "kind"), "internal")
	if message := fmt.Sprint(failures[0]["message"]); !strings.Contains(message, "the toy is broken") || strings.Contains(message, "goroutine") {
		t.Errorf("the message is %q", message)
	}
	mustBe(t, "done", column(ofType(records, "done"), "id"), "b")
}

func TestProofThatItsOwnVerifierRejectsIsAnInternalError(t *testing.T) {
	for _, phases := range [][]string{{"prove", "verify"}, {"prove"}} {
		records, _ := answers(t, runInProcess, line(t, toyRequest(map[string]any{
			"options": map[string]any{"fault": "reject"}, "phases": phases,
		})))
		mustBe(t, "errors", column(ofType(records, "error"), "kind"), "internal")
		mustBe(t, "check passed", column(ofType(records, "check"), "passed"), "false")
		mustBe(t, "done", len(ofType(records, "done")), 0)
	}
}

func TestUnsupportedCombinationKeepsItsKind(t *testing.T) {
	records, _ := answers(t, runInProcess, line(t, toyRequest(map[string]any{"options": map[string]any{"fault": "unsupported"}})))
	mustBe(t, "errors", column(ofType(records, "error"), "kind"), "unsupported")
	mustBe(t, "option", column(ofType(records, "error"), "option"), "fault")
	mustBe(t, "rule", column(ofType(records, "error"), "rule"), "fault-of-the-toy")
}

func TestIDMayBeUsedOnce(t *testing.T) {
	records, _ := answers(t, runInProcess, line(t, toyRequest(nil))+line(t, toyRequest(nil)))
	mustBe(t, "done", len(ofType(records, "done")), 1)
	mustBe(t, "errors", column(ofType(records, "error"), "option"), "id")
}

func TestThreadCountOfTheFirstRequestHoldsForTheProcess(t *testing.T) {
	if runtime.NumCPU() == 1 {
		t.Skip("one processor allows one thread count")
	}
	input := line(t, toyRequest(map[string]any{"id": "bad", "threads": 1, "seed": ""})) +
		line(t, toyRequest(map[string]any{"id": "a", "threads": 1})) +
		line(t, toyRequest(map[string]any{"id": "b", "threads": 2})) +
		line(t, toyRequest(map[string]any{"id": "a", "threads": 1})) +
		line(t, toyRequest(map[string]any{"id": "c", "threads": 1}))
	records, status := startToy(t, input, "run")
	mustBe(t, "done", column(ofType(records, "done"), "id"), "a c")
	mustBe(t, "errors", column(ofType(records, "error"), "id"), "bad b a")
	mustBe(t, "members at fault", column(ofType(records, "error"), "option"), "seed threads id")
	mustBe(t, "status", status, 1)
}

func TestRestartedProcessStillFailsForWhatFailedBefore(t *testing.T) {
	_, status := startToy(t, "nonsense\n"+line(t, toyRequest(map[string]any{"threads": 1})), "run")
	mustBe(t, "status", status, 1)
	_, status = startToy(t, line(t, toyRequest(map[string]any{"threads": 1})), "run")
	mustBe(t, "status", status, 0)
}

func TestWrongCommandLineHasStatusTwo(t *testing.T) {
	for _, arguments := range [][]string{nil, {"walk"}, {"run", "fast"}} {
		records, status := startToy(t, "", arguments...)
		mustBe(t, "status", status, 2)
		mustBe(t, "records", len(records), 0)
	}
}

func TestDescriptionHasNoFaultsAndFaultsAreFound(t *testing.T) {
	description := toySystem{}.Description()
	if faults := description.Faults(); len(faults) > 0 {
		t.Error(faults)
	}
	description.AbsentPhases = append(description.AbsentPhases, AbsentPhase{Prove, "lost"})
	description.Options = append(description.Options, ChoiceOption{"fault", []string{"a"}, "b", ""})
	description.Field.Modulus = "0X1"
	description.Statements[0].Unsound = []Unsound{{map[string]string{"constants": "none"}, "", ""}}
	description.Statements[1].Size.Name = "rounds"
	mustBe(t, "faults", len(description.Faults()), 6)
	records, status := startToy(t, "", "describe")
	mustBe(t, "status", status, 0)
	mustBe(t, "records", column(records, "type"), "describe")
}

func TestPeakOfARegionIsItsOwn(t *testing.T) {
	meter := newMeter()
	if meter.peak == nil {
		t.Skip("this kernel keeps no mark that can be reset, and null is recorded")
	}
	touch := func(bytes int) func() error {
		return func() error {
			memory := make([]byte, bytes)
			for i := range memory {
				memory[i] = 1
			}
			runtime.KeepAlive(memory)
			return nil
		}
	}
	small, _ := meter.measure(touch(1 << 20))
	large, _ := meter.measure(touch(96 << 20))
	if *large.PeakRSSBytes < *small.PeakRSSBytes+(80<<20) {
		t.Errorf("%d after %d bytes", *large.PeakRSSBytes, *small.PeakRSSBytes)
	}
}
