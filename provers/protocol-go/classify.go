package protocol

import "io"

// classify answers which requests to run can be carried out, without carrying them out; whether all
// of them can.
func classify(systems []System, input io.Reader, output *output) (bool, error) {
	admission := &admission{requests: newRequests(systems, input, output)}
	return admission.answerAll(func(envelope *envelope, _ []byte) error {
		if _, _, err := admission.admit(envelope); err != nil {
			return err
		}
		output.push(legalRecord{"legal", envelope.id})
		return nil
	})
}
