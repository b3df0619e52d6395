package gang

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gangctl/gangctl/internal/scenario"
)

// checkJobs says what a case of jobs needs that is not here; nil if nothing is lacking.
func (w Writer) checkJobs(s *scenario.Scenario) error {
	want := s.Spec.Jobs
	if want == nil {
		return nil
	}
	j := w.Job
	if j == nil {
		return errors.New("the case is of jobs, and no operator makes the gangs here")
	}
	if len(want.Kinds) > 0 && !slices.Contains(want.Kinds, j.Kind) {
		return fmt.Errorf("the case is of %v, and the jobs here are of the kind %s", want.Kinds, j.Kind)
	}
	for step := range scenario.Each(s.Spec.Steps) {
		switch sub := step.Submit; {
		case sub != nil && sub.Manifest != nil && !w.Takes(sub.Manifest):
			return fmt.Errorf("the case is of the %s of %s, which is not the kind of job here", sub.Manifest.Kind(), sub.Manifest.File)
		case sub != nil && sub.Manifest == nil && len(sub.First(sub.Gang)) > 0:
			return fmt.Errorf("what comes before the gang of a %s has to be in a manifest", j.Kind)
		case step.Suspend != nil && j.Lifecycle.SuspendField == "":
			return fmt.Errorf("a %s can't be suspended", j.Kind)
		case step.Scale != nil && j.Replicas == "":
			return fmt.Errorf("a %s can't be given another number of pods", j.Kind)
		}
	}
	return nil
}

// SuspendPatch is the merge patch that suspends a job, or resumes it.
func (w Writer) SuspendPatch(suspended bool) map[string]any {
	patch := map[string]any{}
	put(patch, w.Job.Lifecycle.SuspendField, suspended)
	return patch
}

// ScalePatch is the merge patch that gives a job the numbers of pods of a gang.
func (w Writer) ScalePatch(s *scenario.Submit, name string) (map[string]any, error) {
	job, err := w.JobObject(s, name)
	if err != nil {
		return nil, err
	}
	patch := map[string]any{}
	replicas, _ := Field(job.Object, w.Job.Replicas).(map[string]any)
	for kind := range replicas {
		at := w.Job.Replicas + "." + kind + ".replicas"
		put(patch, at, Field(job.Object, at))
	}
	return patch, nil
}
