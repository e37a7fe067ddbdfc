package protocol

import (
	"runtime"
	"testing"
)

func TestLegalRequestIsAnsweredWithoutBeingCarriedOut(t *testing.T) {
	broken := map[string]any{"id": "broken", "options": map[string]any{"fault": "panic"}}
	records, allLegal := answers(t, classifyInProcess, line(t, toyRequest(nil))+line(t, toyRequest(broken)))
	mustBe(t, "all legal", allLegal, true)
	mustBe(t, "types", column(records, "type"), "legal legal")
	mustBe(t, "ids", column(records, "id"), "a broken")
}

func TestClassifyRefusesWhatRunRefusesInTheSameWords(t *testing.T) {
	refused := ""
	for _, changes := range []map[string]any{
		{"id": "seed", "seed": "00"},
		{"id": "fault", "options": map[string]any{"fault": "unsupported"}},
		{"id": "fault"},
		{"id": "many", "threads": runtime.NumCPU() + 1},
		{"id": "folder", "artifacts": "/nowhere/at/all"},
	} {
		refused += line(t, toyRequest(changes))
	}
	// More threads than there are is another fault once the thread count is fixed.
	for _, input := range []string{
		refused + "nonsense\n",
		line(t, toyRequest(map[string]any{"threads": runtime.NumCPU() + 1})) + refused,
	} {
		records, allLegal := answers(t, classifyInProcess, input)
		ran, _ := answers(t, runInProcess, input)
		errors := ofType(ran, "error")
		mustBe(t, "all legal", allLegal, false)
		mustBe(t, "answers", len(records), len(errors))
		for _, name := range []string{"id", "kind", "message", "option", "rule"} {
			mustBe(t, name, column(records, name), column(errors, name))
		}
	}
}

func TestMoreThreadsThanProcessorsBreakARuleWithAName(t *testing.T) {
	records, _ := answers(t, classifyInProcess, line(t, toyRequest(map[string]any{"threads": runtime.NumCPU() + 1})))
	mustBe(t, "kind", column(records, "kind"), "unsupported")
	mustBe(t, "rule", column(records, "rule"), "threads-beyond-processors")
}
