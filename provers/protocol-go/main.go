package protocol

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
)

// Runner is an executable: its name, the library it measures and the systems it implements.
type Runner struct {
	Name          string // as in runner.toml
	Library       Library
	BuildFeatures []string // features of the library that bear on its times
	Systems       []System
}

// Exit statuses of a runner.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Main is the whole command line of a runner: `describe`, `run`, `classify` and `verify`. It returns the
// exit status: 0 if no request ended in an error, 1 if any did, 2 for a wrong command line.
func Main(runner Runner) int {
	// Whoever closed the pipe knows that nothing more will come; a failed write says so here.
	signal.Ignore(syscall.SIGPIPE)
	arguments := os.Args[1:]
	if len(arguments) != 1 || !slices.Contains([]string{"describe", "run", "classify", "verify"}, arguments[0]) {
		fmt.Fprintf(os.Stderr, "error: %s takes exactly one argument, legal are describe, run, classify and verify\n", runner.Name)
		return exitUsage
	}
	output := newOutput(os.Stdout)
	allWell := true
	var err error
	switch arguments[0] {
	case "describe":
		output.push(runner.describe())
		output.flush()
		err = output.err
	case "run":
		allWell, err = run(runner.Systems, os.Stdin, output)
	case "classify":
		allWell, err = classify(runner.Systems, os.Stdin, output)
	case "verify":
		allWell, err = verify(runner.Systems, os.Stdin, output)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: standard input or output failed: %v\n", err)
		return exitFailed
	}
	if !allWell {
		return exitFailed
	}
	return exitDone
}

func (runner *Runner) describe() describeRecord {
	return describeRecord{
		Type:     "describe",
		Protocol: Version,
		Runner:   runner.Name,
		Library:  runner.Library,
		Build:    runner.build(),
		Systems:  descriptionsOf(runner.Systems),
	}
}

// build says how this binary was made, as the toolchain wrote it into the binary.
func (runner *Runner) build() Build {
	build := Build{
		Target:    runtime.GOOS + "/" + runtime.GOARCH,
		Profile:   "release",
		Features:  append([]string{runtime.Version()}, runner.BuildFeatures...),
		TargetCPU: "generic",
	}
	information, ok := debug.ReadBuildInfo()
	if !ok {
		return build
	}
	for _, setting := range information.Settings {
		switch setting.Key {
		case "GOAMD64", "GOARM64":
			build.TargetCPU = setting.Value
		case "-race", "-gcflags":
			build.Profile = strings.TrimPrefix(setting.Key, "-") + "=" + setting.Value
		case "-tags":
			build.Features = append(build.Features, strings.Split(setting.Value, ",")...)
		}
	}
	return build
}
