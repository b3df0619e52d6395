// Package timeline is the record of what was seen in one case: events in the
// order of their receipt, as JSON lines. Everything gangctl says about a case is
// computed from it, so a verdict can be given again on another machine.
package timeline

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Format is the version of the file format, written in each run's first line.
const Format = "gangctl.dev/timeline/v1alpha1"

// Event is one line. Exactly one of the pointers is set.
type Event struct {
	// Seq counts from 1 within a run.
	Seq int `json:"seq"`
	// At is the time since the run's first line, on the recorder's monotonic
	// clock, when the watch event was received. Pod condition times have a
	// one-second resolution and order nothing.
	At Time `json:"at"`

	Begin     *Begin     `json:"begin,omitempty"`
	Node      *Node      `json:"node,omitempty"`
	Pod       *Pod       `json:"pod,omitempty"`
	Group     *Group     `json:"group,omitempty"`
	Gang      *Gang      `json:"gang,omitempty"`
	Job       *Job       `json:"job,omitempty"`
	Step      *Step      `json:"step,omitempty"`
	Component *Component `json:"component,omitempty"`
	Denied    *Denied    `json:"denied,omitempty"`
	Met       *Met       `json:"met,omitempty"`
	Said      *Said      `json:"said,omitempty"`
	Refused   *Refused   `json:"refused,omitempty"`
	Sync      *Sync      `json:"sync,omitempty"`
	Cut       *Cut       `json:"cut,omitempty"`
	End       *End       `json:"end,omitempty"`
}

// check says whether exactly one of the pointers is set.
func (e *Event) check() error {
	n := 0
	for _, set := range []bool{
		e.Begin != nil, e.Node != nil, e.Pod != nil, e.Group != nil, e.Gang != nil, e.Job != nil,
		e.Step != nil, e.Component != nil, e.Denied != nil, e.Met != nil,
		e.Said != nil, e.Refused != nil, e.Sync != nil, e.Cut != nil, e.End != nil,
	} {
		if set {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("an event must say one thing, this one says %d", n)
	}
	return nil
}

// Time is a duration, in JSON a number of seconds with microseconds.
type Time time.Duration

// MarshalJSON writes seconds with six decimals.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(t.String()), nil }

// String is the number of seconds with six decimals.
func (t Time) String() string {
	return strconv.FormatFloat(time.Duration(t).Seconds(), 'f', 6, 64)
}

// maxSeconds is thirty years, so that times can be added and multiplied.
const maxSeconds = 1e9

// UnmarshalJSON reads seconds.
func (t *Time) UnmarshalJSON(b []byte) error {
	s, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("time %s: %w", b, err)
	}
	if math.Abs(s) > maxSeconds {
		return fmt.Errorf("time %s: must be at most %.0f seconds", b, maxSeconds)
	}
	*t = Time(time.Duration(math.Round(s*1e6)) * time.Microsecond)
	return nil
}

// The runs of a case.
const (
	// Subject is the run on the backend.
	Subject = "subject"
	// Control is the run that must misbehave.
	Control = "control"
)

// Begin is a run's first event: what is tested on what.
type Begin struct {
	Format string `json:"format"`
	// Run is Subject or Control.
	Run        string `json:"run"`
	Case       string `json:"case"`
	Backend    string `json:"backend"`
	Version    string `json:"version"`
	Kubernetes string `json:"kubernetes"`
	// Operator is operator@version/Kind where gangs came as jobs of its own.
	Operator string `json:"operator,omitempty"`
	// Scheduler is the name that members carry.
	Scheduler string `json:"scheduler"`
	// Binder is the component that binds them.
	Binder string `json:"binder"`
	// Grouped says that pods were joined to group objects of the backend.
	Grouped bool `json:"grouped"`
	// Joined says that pods carried the backend's key, with or without a group object.
	Joined bool `json:"joined,omitempty"`
	// Settle is how long a gang may be partly bound while it binds.
	Settle Time `json:"settle"`
	// Patience is the factor on every duration of the scenario.
	Patience float64 `json:"patience"`
	// Timeout is how long the backend itself waits before it gives up on a gang; 0 where it
	// declares no timeout.
	Timeout Time `json:"timeout,omitempty"`
	// Recorded names the backend's run that a shared control was recorded in.
	Recorded string `json:"recorded,omitempty"`
	// Started is the wall clock's time, for people.
	Started time.Time `json:"started"`
	// Scenario is the case as it ran, for the judge.
	Scenario json.RawMessage `json:"scenario"`
}

// Resources maps a resource to an amount: millicores for cpu, bytes for memory,
// whole units for extended resources.
type Resources map[string]int64

// GPU is the extended resource that cases ask for.
const GPU = "nvidia.com/gpu"

// Node is a node's state as watched.
type Node struct {
	Name        string    `json:"name"`
	Allocatable Resources `json:"allocatable,omitempty"`
	Ready       bool      `json:"ready,omitempty"`
	// Closed is a cordoned node or one with a NoSchedule taint.
	Closed bool `json:"closed,omitempty"`
	// Labels are the node's, and Taints the keys of those that keep pods away.
	Labels map[string]string `json:"labels,omitempty"`
	Taints []string          `json:"taints,omitempty"`
	Gone   bool              `json:"gone,omitempty"`
}

// Pod is a pod's state as watched.
type Pod struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	// Gang and Role are ours, from the pod's labels.
	Gang string `json:"gang,omitempty"`
	Role string `json:"role,omitempty"`
	// Key is the group that the pod's annotation, label or field names for the backend.
	Key       string    `json:"key,omitempty"`
	Scheduler string    `json:"scheduler,omitempty"`
	Requests  Resources `json:"requests,omitempty"`
	// NodeSelector are labels that its node must have, Tolerates the keys of taints that
	// do not keep it away, and Apart the node label by which it keeps away from its like.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Tolerates    []string          `json:"tolerates,omitempty"`
	Apart        string            `json:"apart,omitempty"`
	Node         string            `json:"node,omitempty"`
	Phase        string            `json:"phase,omitempty"`
	// Deleting is a pod whose deletion was asked for.
	Deleting bool `json:"deleting,omitempty"`
	Gone     bool `json:"gone,omitempty"`
	// Why is the message of a False PodScheduled condition.
	Why string `json:"why,omitempty"`
}

// Group is the state of a backend's group object as watched.
type Group struct {
	Name  string `json:"name"`
	Min   int64  `json:"min"`
	Phase string `json:"phase,omitempty"`
	// Why are the messages of the group's conditions.
	Why string `json:"why,omitempty"`
	// Deleting is a group whose deletion was asked for, and that a finalizer keeps.
	Deleting bool `json:"deleting,omitempty"`
	// Owner is the controller of it, as Kind/name; "" where it has none.
	Owner string `json:"owner,omitempty"`
	Gone  bool   `json:"gone,omitempty"`
}

// Said is what somebody let the user know: an event of the API server's, or its refusal. It
// is recorded in cases that expect something to be told.
type Said struct {
	// Kind and Name are the object's that it is about.
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Gang is what we meant: written when a gang is submitted, again when the scenario
// changes its size or its job is refused, and with Ended when the scenario itself takes
// the gang away.
type Gang struct {
	Name string `json:"name"`
	Min  int    `json:"min"`
	// Size is the number of pods.
	Size int `json:"size"`
	// Together is the node label whose value all nodes of its pods must share; "" is none.
	Together string `json:"together,omitempty"`
	// Manifest is the file that the gang's job is taken from as it is; "" where the
	// case's roles were written down.
	Manifest string `json:"manifest,omitempty"`
	Ended    bool   `json:"ended,omitempty"`
}

// Job is what an operator says of a job, as watched.
type Job struct {
	Name string `json:"name"`
	// Conditions are the types of the conditions that are true, in the operator's order.
	Conditions []string `json:"conditions,omitempty"`
	// Failed is the message of the condition Failed, where that is true.
	Failed string `json:"failed,omitempty"`
	Gone   bool   `json:"gone,omitempty"`
}

// Step marks the begin and the end of a scenario step.
type Step struct {
	// Index is the step's place in the scenario, counted from 1.
	Index int `json:"index"`
	// Round counts from 1 within a repeated block; 0 outside one.
	Round int `json:"round,omitempty"`
	// Op is the operation's name.
	Op string `json:"op"`
	// Text is the step as a reader would say it.
	Text string `json:"text,omitempty"`
	Done bool   `json:"done,omitempty"`
}

// Component is a change in a process that the lab runs.
type Component struct {
	Name string `json:"name"`
	// State is started, stopped, paused or resumed (by the scenario), or exited (by itself).
	State string `json:"state"`
	// Detail is the exit status, and the last log lines where there are any.
	Detail string `json:"detail,omitempty"`
}

// The states of a component.
const (
	Started = "started"
	Stopped = "stopped"
	Exited  = "exited"
	Paused  = "paused"
	Resumed = "resumed"
)

// Met is a request that the scenario refused or held up.
type Met struct {
	User     string `json:"user"`
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	Name     string `json:"name"`
	// Denied says that it was refused, and not only held up.
	Denied bool `json:"denied,omitempty"`
}

// Cut is a hole in what was watched.
type Cut struct {
	What string `json:"what"`
	Err  string `json:"err"`
}

// End is a run's last event. A run without it was cut off.
type End struct {
	// Err is what ended the run before its last step, other than an expectation.
	Err string `json:"err,omitempty"`
	// NotApplicable says why the case can't be run here. It is mostly known before anything
	// is started.
	NotApplicable string `json:"notApplicable,omitempty"`
}
