// Package verdict judges a timeline. It is a pure function: the same bytes give
// the same verdict, a year later and on another machine.
package verdict

import (
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Outcome is what was seen.
type Outcome string

// The outcomes.
const (
	Pass Outcome = "Pass"
	Fail Outcome = "Fail"
	// Inconclusive: something around the test broke, or the control did not misbehave.
	Inconclusive Outcome = "Inconclusive"
	// NotApplicable: the case can't be run here.
	NotApplicable Outcome = "NotApplicable"
)

// Verdict is what a case showed.
type Verdict struct {
	Case       string  `json:"case"`
	Backend    string  `json:"backend"`
	Version    string  `json:"version"`
	Kubernetes string  `json:"kubernetes"`
	Operator   string  `json:"operator,omitempty"`
	Outcome    Outcome `json:"outcome"`
	// Reason says why, for every outcome but Pass.
	Reason  string `json:"reason,omitempty"`
	Subject Run    `json:"subject"`
	Control *Run   `json:"control,omitempty"`
	// ControlReason says what is missing for the control to misbehave as it must;
	// empty where nothing is.
	ControlReason string `json:"controlReason,omitempty"`
}

// ControlHeld says that the control ran and misbehaved as it must.
func (v *Verdict) ControlHeld() bool { return v.Control != nil && v.ControlReason == "" }

// Run is what one run of a case showed. Its outcome is about itself alone: a
// control that misbehaves as it must has the outcome Fail.
type Run struct {
	Scheduler string  `json:"scheduler"`
	Outcome   Outcome `json:"outcome"`
	Reason    string  `json:"reason,omitempty"`
	// Seconds is the run's length.
	Seconds      timeline.Time `json:"seconds"`
	Expectations []Expectation `json:"expectations,omitempty"`
	Violations   []Violation   `json:"violations,omitempty"`
	Ledger       []Holding     `json:"ledger,omitempty"`
	// Wrong is who held what when a gang had been partly bound for the settle window, or
	// else when the run first went wrong; nil where it didn't.
	Wrong  *Moment           `json:"wrong,omitempty"`
	Denied []timeline.Denied `json:"denied,omitempty"`
	// IdleGPUSeconds is what all gangs held while below their minimum.
	IdleGPUSeconds timeline.Time `json:"idleGPUSeconds"`
	// Gangs and BoundPods count what was submitted and what was bound.
	Gangs     int `json:"gangs"`
	BoundPods int `json:"boundPods"`
	// Timing is for cases that run alone: they measure speed.
	Timing *Timing `json:"timing,omitempty"`
}

// Expectation is one expect step's end.
type Expectation struct {
	Step  int    `json:"step"`
	Round int    `json:"round,omitempty"`
	Text  string `json:"text"`
	Met   bool   `json:"met"`
	// At is when it was decided.
	At timeline.Time `json:"at"`
	// Why says what there was instead.
	Why string `json:"why,omitempty"`
	// Bound lists the pods that were bound at that moment, where it was not met.
	Bound []BoundPod `json:"bound,omitempty"`
}

// BoundPod is a pod on a node.
type BoundPod struct {
	Gang string `json:"gang"`
	Pod  string `json:"pod"`
	Node string `json:"node"`
	// At is when it was seen bound.
	At timeline.Time `json:"at"`
}

// Violation is a property that did not hold.
type Violation struct {
	Property scenario.Property `json:"property"`
	Subject  string            `json:"subject"`
	From     timeline.Time     `json:"from"`
	To       timeline.Time     `json:"to"`
	Detail   string            `json:"detail"`
	Bound    []BoundPod        `json:"bound,omitempty"`
}

// Holding is a time in which a gang held room below its minimum: of no use to it.
type Holding struct {
	Gang string        `json:"gang"`
	From timeline.Time `json:"from"`
	To   timeline.Time `json:"to"`
	// Pods and GPUs are what it held for the most part.
	Pods           int           `json:"pods"`
	GPUs           int64         `json:"gpus"`
	IdleGPUSeconds timeline.Time `json:"idleGPUSeconds"`
}

// Moment is who holds what at one time.
type Moment struct {
	At timeline.Time `json:"at"`
	// Holders are the gangs with bound pods, by name.
	Holders []Holder `json:"holders,omitempty"`
	// FreeGPUs are those that nobody holds, on nodes that take pods.
	FreeGPUs int64 `json:"freeGPUs"`
}

// Holder is what a gang holds.
type Holder struct {
	Gang string `json:"gang"`
	// Pods are bound, of the Min that it needs.
	Pods int   `json:"pods"`
	Min  int   `json:"min"`
	GPUs int64 `json:"gpus"`
	// Nodes are those that its pods are on.
	Nodes []string `json:"nodes"`
}

// Timing is how fast whole gangs were bound.
type Timing struct {
	Gangs int `json:"gangs"`
	Pods  int `json:"pods"`
	// Window is from the first gang's quorum to the last pod's binding.
	Window         timeline.Time `json:"window"`
	GangsPerSecond timeline.Time `json:"gangsPerSecond"`
	PodsPerSecond  timeline.Time `json:"podsPerSecond"`
	// QuorumToBound is from the creation of a gang's last needed pod to its last binding.
	QuorumToBound Quantiles `json:"quorumToBound"`
	// Spread is from a gang's first binding to its last.
	Spread Quantiles `json:"spread"`
}

// Quantiles are nearest-rank, in seconds.
type Quantiles struct {
	P50 timeline.Time `json:"p50"`
	P99 timeline.Time `json:"p99"`
	Max timeline.Time `json:"max"`
}
