package catalog

import (
	"errors"
	"fmt"
	"io/fs"
)

// Lifecycle is what cases can do to the jobs of an operator besides creating and deleting
// them: bundles/operators/<operator>/lifecycle.yaml, where there is anything. It is no part
// of operator.yaml, since no row of the matrix depends on it.
type Lifecycle struct {
	// SuspendField is the dotted path of the field that is true for a job to have no pods
	// for now; empty where jobs have none.
	SuspendField string `json:"suspendField,omitempty"`
	// GiveUp are the fields of a job, by path, that make it fail with its first failed pod,
	// and EntryGiveUp those of each of its runtime's roles.
	GiveUp      map[string]any `json:"giveUp,omitempty"`
	EntryGiveUp map[string]any `json:"entryGiveUp,omitempty"`
}

// loadLifecycle gives each of the operator's jobs what its lifecycle.yaml says.
func (o *Operator) loadLifecycle(tree fs.FS, dir string) error {
	file := dir + "/lifecycle.yaml"
	if _, err := fs.Stat(tree, file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var l struct {
		APIVersion string    `json:"apiVersion"`
		Kind       string    `json:"kind"`
		Spec       Lifecycle `json:"spec"`
	}
	if err := decode(tree, file, "JobLifecycle", &l, &l.APIVersion, &l.Kind); err != nil {
		return err
	}
	for i := range o.Spec.Jobs {
		j := &o.Spec.Jobs[i]
		if len(l.Spec.EntryGiveUp) > 0 && j.Runtime == nil {
			return fmt.Errorf("%s: spec.entryGiveUp: a %s has no runtime", file, j.Kind)
		}
		j.Lifecycle = l.Spec
	}
	return nil
}
