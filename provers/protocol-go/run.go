package protocol

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
)

// process is what lasts from one request of `run` to the next.
type process struct {
	admission
	restarted bool // this process is what another one became
	limited   bool // it computes on as many processors as threads
	meter     *meter
}

// run answers every request; whether all of them ended in `done`.
func run(systems []System, input io.Reader, output *output) (bool, error) {
	handover, restarted, err := Handover()
	if err != nil {
		return false, err
	}
	state := &runState{AllDone: true}
	if restarted {
		if state, err = decodeRunState(handover); err != nil {
			return false, err
		}
		input = io.MultiReader(bytes.NewReader(state.pending), input)
	}
	process := &process{
		admission: admission{requests: newRequests(systems, input, output)},
		restarted: restarted,
		meter:     newMeter(),
	}
	process.noneFailed = state.AllDone
	for _, id := range state.IDs {
		process.ids[id] = true
	}
	return process.answerAll(process.carryOut)
}

func (process *process) carryOut(envelope *envelope, line []byte) error {
	position, request, err := process.admit(envelope)
	if err != nil {
		return err
	}
	if err := process.limitThreads(envelope.id, line); err != nil {
		return err
	}
	session, err := process.systems[position].Open(request.configuration, request.seed)
	if err != nil {
		return err
	}
	loop := &loop{
		id:          envelope.id,
		description: process.descriptions[position],
		request:     request,
		session:     session,
		meter:       process.meter,
		output:      process.output,
	}
	done, err := loop.carryOut()
	if err != nil {
		return err
	}
	process.output.push(done)
	return nil
}

// limitThreads makes this process compute on as many processors as threads, once it has to compute.
func (process *process) limitThreads(id string, line []byte) error {
	switch {
	case process.limited:
		return nil
	case process.restarted:
		// A failure to keep to the count must not start yet another process.
		if err := keepThreads(process.threads); err != nil {
			return err
		}
	default:
		// A process that starts again reads this request once more.
		delete(process.ids, id)
		handover, err := process.state(line)
		process.ids[id] = true
		if err != nil {
			return err
		}
		process.output.flush()
		if process.output.err != nil {
			return process.output.err
		}
		if err := LimitThreads(process.threads, handover); err != nil {
			return err
		}
	}
	process.limited = true
	return nil
}

// state is what another process needs to go on from the request on this line.
func (process *process) state(line []byte) ([]byte, error) {
	state := &runState{AllDone: process.noneFailed, IDs: []string{}}
	for id := range process.ids {
		state.IDs = append(state.IDs, id)
	}
	slices.Sort(state.IDs)
	buffered, err := process.input.Peek(process.input.Buffered())
	if err != nil {
		return nil, fmt.Errorf("read what is buffered: %w", err)
	}
	state.pending = append(append(bytes.Clone(line), '\n'), buffered...)
	return state.encode()
}

// loop is one request at work.
type loop struct {
	id          string
	description *SystemDescription
	request     *runRequest
	session     Session
	meter       *meter
	output      *output
	spent       int64 // wall time of the timed phases of the sample in hand, in nanoseconds
}

// place is what one execution of a phase belongs to.
type place struct {
	sample   uint64
	instance *uint64
	warmup   bool
}

func (loop *loop) carryOut() (doneRecord, error) {
	done := doneRecord{Type: "done", ID: loop.id, StoppedBy: stoppedByNoLoop}
	if err := loop.once(); err != nil {
		return done, err
	}
	if !loop.records(Witness) && !loop.records(Prove) && !loop.records(Verify) {
		return done, nil
	}
	rule := loop.request.stop
	budget := int64(rule.seconds * 1e9)
	var spent int64
	for sample := uint64(0); ; sample++ {
		instance := loop.instanceOf(sample)
		at := place{sample, &instance, sample < rule.warmup}
		if err := loop.takeSample(at); err != nil {
			return done, err
		}
		if !at.warmup {
			spent += loop.spent
			done.Samples++
			if done.Samples == 1 {
				if err := loop.writeWhatStays(at); err != nil {
					return done, err
				}
			}
		}
		loop.output.flushIfDue()
		if loop.output.err != nil {
			return done, loop.output.err
		}
		if done.Samples == rule.maximum {
			done.StoppedBy = stoppedByMaximum
			return done, nil
		}
		if done.Samples >= rule.minimum && spent >= budget {
			done.StoppedBy = stoppedBySeconds
			return done, nil
		}
	}
}

// once carries out what happens once a request. Between the phases memory is given back to the
// system, so that what one of them left behind does not count as the next one's.
func (loop *loop) once() error {
	at := place{}
	if session, ok := loop.session.(Compiler); ok {
		if err := loop.execute(Compile, at, session.Compile); err != nil {
			return err
		}
	}
	if session, ok := loop.session.(Preparer); ok {
		if err := session.Prepare(); err != nil {
			return fmt.Errorf("prepare the set-up: %w", err)
		}
	}
	debug.FreeOSMemory()
	if session, ok := loop.session.(KeyMaker); ok {
		if err := loop.execute(Setup, at, session.Setup); err != nil {
			return err
		}
	}
	debug.FreeOSMemory()
	loop.output.flush()
	return loop.output.err
}

// records says whether executions of a phase are timed and written.
func (loop *loop) records(phase Phase) bool {
	return loop.description.times(phase) && slices.Contains(loop.request.phases, phase)
}

// verifiesOneProof says whether one proof serves all samples: nothing but verification is asked for.
func (loop *loop) verifiesOneProof() bool {
	return loop.records(Verify) && !loop.records(Witness) && !loop.records(Prove)
}

func (loop *loop) instanceOf(sample uint64) uint64 {
	if loop.request.fixed || loop.verifiesOneProof() {
		return loop.request.firstInstance
	}
	return loop.request.firstInstance + sample
}

// takeSample is one pass of the loop.
func (loop *loop) takeSample(at place) error {
	loop.spent = 0
	if at.sample == 0 || !loop.verifiesOneProof() {
		if err := loop.session.LoadInstance(*at.instance); err != nil {
			return fmt.Errorf("load instance %d: %w", *at.instance, err)
		}
		if session, ok := loop.session.(Witnesser); ok {
			if err := loop.execute(Witness, at, session.Witness); err != nil {
				return err
			}
		}
		if loop.records(Prove) || loop.records(Verify) {
			if err := loop.execute(Prove, at, loop.session.Prove); err != nil {
				return err
			}
			loop.writeWhatVaries(at.sample)
		}
	}
	if loop.records(Verify) {
		return loop.verify(at)
	}
	return nil
}

// execute carries out a phase, timed and written if it is to be recorded.
func (loop *loop) execute(phase Phase, at place, action func() error) error {
	if !loop.records(phase) {
		if err := action(); err != nil {
			return fmt.Errorf("%s: %w", phase, err)
		}
		return nil
	}
	taken, err := loop.meter.measure(action)
	if err != nil {
		return fmt.Errorf("%s: %w", phase, err)
	}
	loop.spent += taken.WallNS
	loop.output.push(sampleRecord{"sample", loop.id, phase, at.sample, at.instance, at.warmup, taken})
	return nil
}

// verify judges the proof at hand. One that its own verifier rejects ends the request.
func (loop *loop) verify(at place) error {
	var verdict Verdict
	err := loop.execute(Verify, at, func() (err error) {
		verdict, err = loop.session.Verify()
		return err
	})
	if err != nil || verdict.Accepted {
		return err
	}
	loop.output.push(checkRecord{"check", loop.id, selfVerify, false, verdict.Reason})
	return fmt.Errorf("the system's own verifier rejects its proof of instance %d: %s", *at.instance, verdict.Reason)
}

// selfVerify is the one check that a runner makes by itself.
const selfVerify = "self-verify"

func (loop *loop) writeWhatVaries(sample uint64) {
	session, ok := loop.session.(Sampler)
	if !ok {
		return
	}
	loop.writeSizes(session.SampleSizes(), &sample)
	loop.writeCounters(session.SampleCounters(), &sample)
}

func (loop *loop) writeSizes(sizes []Size, sample *uint64) {
	for _, size := range sizes {
		loop.output.push(sizeRecord{"size", loop.id, size.Of, size.Encoding, size.Bytes, sample})
	}
}

func (loop *loop) writeCounters(counters []Counter, sample *uint64) {
	for _, counter := range counters {
		loop.output.push(counterRecord{"counter", loop.id, counter.Name, count(counter.Value), sample})
	}
}

// writeWhatStays follows the first counted sample: that its proof verifies (seen in the sample, or
// seen to now without the clock), what is the same for all proofs, and the artifacts.
func (loop *loop) writeWhatStays(at place) error {
	if !loop.records(Verify) {
		if !loop.records(Prove) {
			if err := loop.session.Prove(); err != nil {
				return fmt.Errorf("%s: %w", Prove, err)
			}
			loop.writeWhatVaries(at.sample)
		}
		if err := loop.verify(at); err != nil {
			return err
		}
	}
	loop.output.push(checkRecord{"check", loop.id, selfVerify, true, ""})
	sizes, err := loop.session.Sizes()
	if err != nil {
		return fmt.Errorf("take sizes: %w", err)
	}
	loop.writeSizes(sizes, nil)
	threads := Counter{"threads", float64(loop.request.configuration.Threads)}
	loop.writeCounters(append(loop.session.Counters(), threads), nil)
	if session, ok := loop.session.(Rater); ok {
		for _, security := range session.Security() {
			loop.output.push(securityRecord{"security", loop.id, security.Kind, security.Bits, security.Source})
		}
	}
	if loop.request.artifacts != "" {
		return loop.writeArtifacts()
	}
	return nil
}

func (loop *loop) writeArtifacts() error {
	configuration := loop.request.configuration
	publicInput := loop.session.PublicInput()
	library, err := loop.session.VerifyingKey()
	if err != nil {
		return fmt.Errorf("serialise the verifying key: %w", err)
	}
	encoded, err := publicInput.encode(configuration)
	if err != nil {
		return fmt.Errorf("serialise the public input: %w", err)
	}
	header := newKeyHeader(configuration, publicInput)
	for name, content := range map[string][]byte{
		"proof.bin":         loop.session.Proof(),
		"verifying_key.bin": append(header[:], library...),
		"public_input.json": encoded,
	} {
		if err := os.WriteFile(filepath.Join(loop.request.artifacts, name), content, 0o644); err != nil {
			return fmt.Errorf("write an artifact: %w", err)
		}
	}
	return nil
}
