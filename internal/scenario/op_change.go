package scenario

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Change alters nodes that are there, as an administrator does, or a device that fails.
type Change struct {
	// Nodes is a node's name, or a glob that stands for several. Nodes are named node-1,
	// node-2 and so on, in the order in which they are added.
	Nodes string `json:"nodes"`
	// Cordoned closes them to new pods, or opens them again.
	Cordoned *bool `json:"cordoned,omitempty"`
	// Taints replace those that they have; an empty list takes all away.
	Taints *[]Taint `json:"taints,omitempty"`
	// Labels are put on them; an empty value takes the label away.
	Labels map[string]string `json:"labels,omitempty"`
	// GPUs is how many each of them has from now on.
	GPUs *int `json:"gpus,omitempty"`
}

// Taint keeps pods that do not tolerate it from a node.
type Taint struct {
	// Key is the taint's name, such as example.com/broken.
	Key string `json:"key"`
	// Value may be left out.
	Value string `json:"value,omitempty"`
	// Effect is NoSchedule, PreferNoSchedule or NoExecute.
	Effect string `json:"effect"`
}

// Closing says whether one of the taints keeps pods from being scheduled.
func Closing(taints []Taint) bool {
	return slices.ContainsFunc(taints, func(t Taint) bool { return t.Effect != "PreferNoSchedule" })
}

func (c *Change) validate() error {
	if _, err := path.Match(c.Nodes, ""); err != nil || c.Nodes == "" {
		return fmt.Errorf("nodes: %q must be a node's name or a glob", c.Nodes)
	}
	if c.Cordoned == nil && c.Taints == nil && c.GPUs == nil && len(c.Labels) == 0 {
		return errors.New("nodes: one of cordoned, taints, labels and gpus must be set")
	}
	if c.GPUs != nil && *c.GPUs < 0 {
		return fmt.Errorf("gpus: %d must not be negative", *c.GPUs)
	}
	if c.Taints != nil {
		if err := validateTaints(*c.Taints); err != nil {
			return err
		}
	}
	return validateLabels("labels", c.Labels)
}

func (c *Change) String() string {
	var what []string
	if c.Cordoned != nil {
		what = append(what, map[bool]string{true: "cordoned", false: "uncordoned"}[*c.Cordoned])
	}
	if c.Taints != nil {
		what = append(what, taints(*c.Taints))
	}
	for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
		if c.Labels[key] == "" {
			what = append(what, "without the label "+key)
		} else {
			what = append(what, "labelled "+key+"="+c.Labels[key])
		}
	}
	if c.GPUs != nil {
		what = append(what, "with "+Count(*c.GPUs, "GPU"))
	}
	return c.Nodes + " " + strings.Join(what, ", ")
}

// taints says them in words.
func taints(all []Taint) string {
	if len(all) == 0 {
		return "without taints"
	}
	var words []string
	for _, t := range all {
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		words = append(words, text+":"+t.Effect)
	}
	return "tainted " + strings.Join(words, ", ")
}

func validateTaints(all []Taint) error {
	for i, t := range all {
		if e := slices.Concat(validation.IsQualifiedName(t.Key), validation.IsValidLabelValue(t.Value)); len(e) > 0 {
			return fmt.Errorf("taints[%d]: %s=%q: %s", i, t.Key, t.Value, e[0])
		}
		if !slices.Contains([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}, t.Effect) {
			return fmt.Errorf("taints[%d].effect: %q must be NoSchedule, PreferNoSchedule or NoExecute", i, t.Effect)
		}
	}
	return nil
}

func validateLabels(field string, labels map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if e := slices.Concat(validation.IsQualifiedName(key), validation.IsValidLabelValue(labels[key])); len(e) > 0 {
			return fmt.Errorf("%s: %s: %q: %s", field, key, labels[key], e[0])
		}
	}
	return nil
}
