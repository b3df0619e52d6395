package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

const pendingOnShortage = `
  description: A gang that does not fit binds no pod; once there is room it binds whole.
  profile: core
  feature: all-or-nothing
  source: https://github.com/example/scheduler/issues/1
  steps:
  - nodes:  {add: 2, gpus: 2}
  - submit: {gang: tf-smoke-gpu, roles: [{name: ps, count: 1, cpu: "1"}, {name: worker, count: 4, gpus: 2}]}
  - expect: {gang: tf-smoke-gpu, bound: none, for: 10s}
  - nodes:  {add: 2, gpus: 2}
  - expect: {gang: tf-smoke-gpu, bound: all, within: 30s}
  control: {scheduler: default-scheduler, breaks: all-or-nothing}
`

var members = []string{"tf-smoke-gpu-ps-0", "tf-smoke-gpu-worker-0", "tf-smoke-gpu-worker-1", "tf-smoke-gpu-worker-2", "tf-smoke-gpu-worker-3"}

// shortage plays a gang of five: with partly, three of them are bound before
// there is room for all.
func (r *recorder) shortage(s *scenario.Scenario, partly bool) {
	const gang = "tf-smoke-gpu"
	bind := func(i int, at float64) {
		r.at(at)
		r.pod(gang, members[i], on(max(i-1, 0)))
	}
	r.at(0.1)
	r.step(s, 1, 0, false)
	r.nodes(0, 2, 2)
	r.at(1.2)
	r.step(s, 1, 0, true)
	r.step(s, 2, 0, false)
	r.gang(gang, 5, false)
	for i, name := range members {
		r.at(1.3 + float64(i)*0.02)
		gpus := int64(2)
		if i == 0 {
			gpus = 0
		}
		r.pod(gang, name, asks(gpus))
	}
	r.step(s, 2, 0, true)
	r.step(s, 3, 0, false)
	first := 0
	if partly {
		for first = range 3 {
			bind(first, 1.5+float64(first)*0.05)
		}
		for i := range 3 {
			r.at(2.1 + float64(i)*0.05)
			r.pod(gang, members[i], phase("Running"))
		}
		first = 3
	}
	r.at(11.6)
	r.step(s, 3, 0, true)
	r.step(s, 4, 0, false)
	r.nodes(2, 2, 2)
	r.at(12.1)
	r.step(s, 4, 0, true)
	r.step(s, 5, 0, false)
	for i := first; i < 5; i++ {
		bind(i, 12.9+float64(i)*0.03)
	}
	r.step(s, 5, 0, true)
	for i := first; i < 5; i++ {
		r.at(13.4 + float64(i)*0.05)
		r.pod(gang, members[i], phase("Running"))
	}
	r.at(16)
	if partly {
		r.add(timeline.Event{Denied: &timeline.Denied{
			User: "system:serviceaccount:volcano-system:volcano-scheduler", Verb: "create", Resource: "pods/binding", Count: 3,
		}})
	}
	r.end()
}

// shortageCase is the case on a backend that is right or wrong.
func shortageCase(t *testing.T, dir, name string, right, claimed bool) Case {
	s := decode(t, name, pendingOnShortage)
	r := &recorder{}
	r.begin(timeline.Subject, "volcano", s)
	r.shortage(s, !right)
	r.begin(timeline.Control, "default-scheduler", s)
	r.shortage(s, true)
	path, v := r.file(t, dir, name)
	return Case{Scenario: s, Verdict: v, Claimed: claimed, Timeline: path}
}

const throughput = `
  description: Many gangs that all fit are bound whole, quickly.
  alone: true
  profile: extended
  feature: throughput
  steps:
  - nodes:  {add: 25, gpus: 8}
  - submit: {gang: load, copies: 50, roles: [{name: worker, count: 4, gpus: 1}]}
  - expect: {gang: load-*, bound: all, within: 60s}
  control: {scheduler: stopped, for: 5s}
`

// throughputCase has 200 pods: lanes become thin.
func throughputCase(t *testing.T, dir string) Case {
	s := decode(t, "throughput", throughput)
	r := &recorder{}
	for _, run := range []string{timeline.Subject, timeline.Control} {
		r.begin(run, "volcano", s)
		r.at(0.1)
		r.step(s, 1, 0, false)
		r.nodes(0, 25, 8)
		r.step(s, 1, 0, true)
		if run == timeline.Control {
			r.at(0.5)
			r.add(timeline.Event{Component: &timeline.Component{Name: "volcano-scheduler", State: timeline.Stopped}})
		}
		r.at(1)
		r.step(s, 2, 0, false)
		for g := range 50 {
			r.gang(fmt.Sprintf("load-%d", g+1), 4, false)
		}
		all(func(i int, gang, pod string) {
			r.at(1 + float64(i)*0.01)
			r.pod(gang, pod, asks(1))
		})
		r.step(s, 2, 0, true)
		r.step(s, 3, 0, false)
		if run == timeline.Control {
			r.at(8.1)
			r.step(s, 3, 0, true)
			r.end()
			continue
		}
		all(func(i int, gang, pod string) {
			r.at(3.1 + float64(i)*0.015 + float64(i/40)*0.6)
			r.pod(gang, pod, on(i/8))
		})
		r.step(s, 3, 0, true)
		all(func(i int, gang, pod string) {
			r.at(8.6 + float64(i)*0.01)
			r.pod(gang, pod, phase("Running"))
		})
		r.at(11)
		r.end()
	}
	path, v := r.file(t, dir, "throughput")
	return Case{Scenario: s, Verdict: v, Claimed: true, Timeline: path}
}

func all(do func(i int, gang, pod string)) {
	for i := range 200 {
		gang := fmt.Sprintf("load-%d", i/4+1)
		do(i, gang, fmt.Sprintf("%s-worker-%d", gang, i%4))
	}
}

const twoGangs = `
  description: Of two gangs that each fit alone, one is bound whole and the other holds nothing, round after round.
  profile: core
  feature: all-or-nothing
  steps:
  - nodes:  {add: 2, gpus: 4}
  - repeat:
      times: 12
      steps:
      - submit: {gang: pair, copies: 2, interleaved: true, roles: [{name: worker, count: 6, gpus: 1}]}
      - expect: {gang: pair-*, whole: 1, within: 2s, for: 1s}
      - delete: {gang: pair-*}
  control: {scheduler: default-scheduler, breaks: deadlock}
`

// twoGangsCase repeats the same pod names, and on the default scheduler each gang
// gets half of the room.
func twoGangsCase(t *testing.T, dir string, claimed bool) Case {
	s := decode(t, "two-gangs", twoGangs)
	r := &recorder{}
	for _, run := range []string{timeline.Subject, timeline.Control} {
		r.begin(run, "volcano", s)
		r.nodes(0, 2, 4)
		for round := 1; round <= 12; round++ {
			t0 := float64(round-1)*5 + 0.5
			r.at(t0)
			r.step(s, 3, round, false)
			r.gang("pair-1", 6, false)
			r.gang("pair-2", 6, false)
			pods(func(i int, gang, pod string) { r.at(t0 + float64(i)*0.02); r.pod(gang, pod, asks(1)) })
			r.step(s, 3, round, true)
			r.step(s, 4, round, false)
			pods(func(i int, gang, pod string) {
				if run == timeline.Control && i >= 8 || run == timeline.Subject && i%2 != round%2 {
					return
				}
				r.at(t0 + 0.4 + float64(i)*0.02)
				r.pod(gang, pod, on(i/2%2))
				r.pod(gang, pod, phase("Running"))
			})
			r.at(t0 + 3.9)
			r.step(s, 4, round, true)
			r.step(s, 5, round, false)
			r.gang("pair-1", 6, true)
			r.gang("pair-2", 6, true)
			pods(func(_ int, gang, pod string) { r.pod(gang, pod, func(p *timeline.Pod) { p.Deleting = true }) })
			r.at(t0 + 4.3)
			pods(func(_ int, gang, pod string) { r.pod(gang, pod, func(p *timeline.Pod) { p.Gone = true }) })
			r.step(s, 5, round, true)
		}
		r.at(61)
		r.end()
	}
	path, v := r.file(t, dir, "two-gangs")
	return Case{Scenario: s, Verdict: v, Claimed: claimed, Timeline: path}
}

func pods(do func(i int, gang, pod string)) {
	for i := range 12 {
		gang := fmt.Sprintf("pair-%d", i%2+1)
		do(i, gang, fmt.Sprintf("%s-worker-%d", gang, i/2))
	}
}

// given is a case that has a verdict and no timeline.
func given(name, profile, feature string, claimed bool, o verdict.Outcome, reason string) Case {
	s := &scenario.Scenario{Metadata: scenario.Metadata{Name: name}, Spec: scenario.Spec{Profile: profile, Feature: feature, Description: "What must be true of " + name + "."}}
	return Case{Scenario: s, Claimed: claimed, Verdict: &verdict.Verdict{Case: name, Backend: "volcano", Outcome: o, Reason: reason}}
}

func meta() Meta {
	return Meta{
		Backend: "volcano", Version: "v1.14.1", Kubernetes: "v1.34.4", Tool: "gangctl-verify v0.1.0", Provider: "lab",
		Profiles: []string{"core", "extended"}, Date: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC),
		Command: "gangctl-verify run volcano@v1.14.1 --profile core,extended",
	}
}
