package protocol

import "fmt"

// admission judges whether requests to run can be carried out: all that `run` finds out before it
// begins, and all that `classify` does.
type admission struct {
	*requests
	threads int // 0 until a request has fixed it
}

// admit reads the request of an envelope, whose system is `systems[position]`; an error if it cannot
// be carried out.
func (admission *admission) admit(envelope *envelope) (position int, request *runRequest, err error) {
	position, request, failure := envelope.run(admission.descriptions)
	if failure != nil {
		return 0, nil, failure
	}
	if err := admission.fixThreads(request.configuration.Threads); err != nil {
		return 0, nil, err
	}
	if system, ok := admission.systems[position].(Restricted); ok {
		if err := system.Legal(request.configuration); err != nil {
			return 0, nil, err
		}
	}
	return position, request, nil
}

// fixThreads holds a process to one thread count, that of its first well-formed request.
func (admission *admission) fixThreads(threads int) error {
	switch admission.threads {
	case threads:
		return nil
	case 0:
		if err := withinProcessors(threads); err != nil {
			return err
		}
		admission.threads = threads
		return nil
	}
	return InvalidRequest("threads", fmt.Sprintf(
		"threads is %d, legal in this process is %d alone, as first asked for", threads, admission.threads))
}
