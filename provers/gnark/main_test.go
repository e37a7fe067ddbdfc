package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"nizk-bench/provers/protocol-go"
)

// actAsRunner makes the test binary the runner, for tests that need a process.
const actAsRunner = "NIZK_BENCH_TEST_RUNNER"

func TestMain(m *testing.M) {
	if os.Getenv(actAsRunner) != "" {
		main()
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() != "" {
		if err := limitPlain(); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// limitPlain makes the plain program compute on as many processors as asked for.
func limitPlain() error {
	if _, restarted, err := protocol.Handover(); restarted || err != nil {
		runtime.GOMAXPROCS(runtime.NumCPU())
		return err
	}
	threads, err := plainThreads()
	if err != nil {
		return err
	}
	return protocol.LimitThreads(threads, nil)
}

type record map[string]any

// speak lets the runner answer requests in a process of its own.
func speak(t *testing.T, command string, requests ...map[string]any) (records []record, status int) {
	t.Helper()
	var input bytes.Buffer
	for _, request := range requests {
		encoded, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(encoded, '\n'))
	}
	process := exec.Command(os.Args[0], command)
	process.Env = append(os.Environ(), actAsRunner+"=1")
	process.Stdin = &input
	process.Stderr = os.Stderr
	written, err := process.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	for text := range bytes.Lines(written) {
		var parsed record
		if err := json.Unmarshal(text, &parsed); err != nil {
			t.Fatalf("%q is not JSON: %v", text, err)
		}
		records = append(records, parsed)
	}
	return records, process.ProcessState.ExitCode()
}

func runRequest(id, system string, changes map[string]any) map[string]any {
	request := map[string]any{
		"type": "run", "id": id, "system": system, "statement": "mimc-preimage",
		"size": map[string]any{"rounds": 7}, "threads": runtime.NumCPU(),
		"seed": strings.Repeat("0", 64), "instances": "fresh",
		"stop":   map[string]any{"warmup": 0, "minimum": 1, "maximum": 1, "seconds": 100},
		"phases": []string{"compile", "setup", "prove", "verify"},
	}
	for name, value := range changes {
		request[name] = value
	}
	return request
}

func verifyRequest(id, system, folder string, changes map[string]any) map[string]any {
	request := map[string]any{
		"type": "verify", "id": id, "system": system, "statement": "mimc-preimage",
		"size":          map[string]any{"rounds": 7},
		"public_input":  filepath.Join(folder, "public_input.json"),
		"verifying_key": filepath.Join(folder, "verifying_key.bin"),
		"proof":         filepath.Join(folder, "proof.bin"),
	}
	for name, value := range changes {
		request[name] = value
	}
	return request
}

func ofType(records []record, kind string) []record {
	var found []record
	for _, record := range records {
		if record["type"] == kind {
			found = append(found, record)
		}
	}
	return found
}

func TestDescriptionsHaveNoFaults(t *testing.T) {
	names := map[string]bool{}
	for _, system := range systems() {
		description := system.Description()
		names[description.System] = true
		for _, fault := range description.Faults() {
			t.Errorf("%s: %s", description.System, fault)
		}
	}
	for _, name := range []string{"gnark/groth16/bls12-381", "gnark/groth16/bn254", "gnark/plonk/bls12-381", "gnark/plonk/bn254"} {
		if !names[name] {
			t.Errorf("there is no system %s", name)
		}
	}
	if version := runner().Library.Version; version != "0.16.0" {
		t.Errorf("the library is version %s, the choices in README.md are about 0.16.0", version)
	}
}

func TestEverySystemAndVariantIsAcceptedInAnotherProcessAndRejectedForAnotherStatement(t *testing.T) {
	for _, system := range systems() {
		name := system.Description().System
		for _, constants := range []string{constantsFixed, constantsPublic} {
			t.Run(name+"/"+constants, func(t *testing.T) {
				variant := map[string]any{"variant": map[string]any{"constants": constants}}
				folder, foreign := t.TempDir(), t.TempDir()
				for into, seed := range map[string]string{folder: strings.Repeat("0", 64), foreign: strings.Repeat("1", 64)} {
					changes := map[string]any{"variant": variant["variant"], "artifacts": into, "seed": seed}
					if records, status := speak(t, "run", runRequest("a", name, changes)); status != 0 {
						t.Fatal(records)
					}
				}
				write := func(change func(map[string]any)) string {
					text, err := os.ReadFile(filepath.Join(folder, "public_input.json"))
					if err != nil {
						t.Fatal(err)
					}
					var content map[string]any
					if err := json.Unmarshal(text, &content); err != nil {
						t.Fatal(err)
					}
					change(content)
					if text, err = json.Marshal(content); err != nil {
						t.Fatal(err)
					}
					path := filepath.Join(t.TempDir(), "public_input.json")
					if err := os.WriteFile(path, text, 0o600); err != nil {
						t.Fatal(err)
					}
					return path
				}
				requests := []map[string]any{}
				ask := func(id, member, path string) {
					request := verifyRequest(id, name, folder, variant)
					if member != "" {
						request[member] = path
					}
					requests = append(requests, request)
				}
				ask("accept", "", "")
				ask("wrong image", "public_input", write(func(content map[string]any) { content["image"] = "0x1" }))
				ask("wrong constants", "public_input", write(func(content map[string]any) { content["constants"].([]any)[6] = "0x1" }))
				ask("another public input", "public_input", filepath.Join(foreign, "public_input.json"))
				ask("another key", "verifying_key", filepath.Join(foreign, "verifying_key.bin"))
				ask("another proof", "proof", filepath.Join(foreign, "proof.bin"))
				ask("accept again", "", "")
				records, _ := speak(t, "verify", requests...)
				if len(records) != len(requests) {
					t.Fatal(records)
				}
				for _, record := range records {
					expected := strings.HasPrefix(record["id"].(string), "accept")
					if record["type"] != "verdict" || record["accepted"] != expected {
						t.Errorf("%v", record)
					}
				}
			})
		}
	}
}

func TestOneThreadIsOneThreadWithoutAnyHelpFromOutside(t *testing.T) {
	for _, name := range []string{"gnark/groth16/bls12-381", "gnark/plonk/bn254"} {
		records, status := speak(t, "run", runRequest("a", name, map[string]any{
			"threads": 1, "size": map[string]any{"rounds": 255},
			"stop": map[string]any{"warmup": 1, "minimum": 2, "maximum": 4, "seconds": 1},
		}))
		if status != 0 {
			t.Fatal(records)
		}
		for _, sample := range ofType(records, "sample") {
			if sample["phase"] != "prove" && sample["phase"] != "setup" {
				continue
			}
			// The garbage collector's threads are among those that count.
			wall := sample["wall_ns"].(float64)
			if share := (sample["user_ns"].(float64) + sample["system_ns"].(float64)) / wall; share > 1.1 {
				t.Errorf("%s: %s took %.2f times its wall time on the processor", name, sample["phase"], share)
			}
		}
	}
}

// TestAllProcessorsWork looks at where the time was spent and not at how much was gained, so that it
// holds on a machine that is busy with other things.
func TestAllProcessorsWork(t *testing.T) {
	if runtime.NumCPU() == 1 {
		t.Skip("there is one processor")
	}
	for _, system := range systems() {
		session := opened(t, system, 1023, nil)
		before := processorTimes(t)
		if err := session.Prove(); err != nil {
			t.Fatal(err)
		}
		var total uint64
		var gained []uint64
		for thread, after := range processorTimes(t) {
			gained = append(gained, after-before[thread])
			total += after - before[thread]
		}
		busy := 0
		for _, gain := range gained {
			if gain > total/10 {
				busy++
			}
		}
		if busy < 2 {
			t.Errorf("%s: proving kept %d threads busy: %v ns", system.Description().System, busy, gained)
		}
	}
}

// processorTimes is the time on a processor of every thread of this process, in nanoseconds.
func processorTimes(t *testing.T) map[string]uint64 {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/schedstat")
	if err != nil || len(files) == 0 {
		t.Fatalf("the kernel does not account for threads: %v", err)
	}
	times := map[string]uint64{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread ended
		}
		var onProcessor uint64
		if _, err := fmt.Sscan(string(text), &onProcessor); err != nil {
			t.Fatal(err)
		}
		times[filepath.Dir(file)] = onProcessor
	}
	return times
}
