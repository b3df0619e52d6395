package gang

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gangctl/gangctl/internal/scenario"
)

// Check says why the cases' gangs can't be written down here; nil if they can.
func (w Writer) Check(s *scenario.Scenario) error {
	if err := w.checkJobs(s); err != nil {
		return err
	}
	for step := range scenario.Each(s.Spec.Steps) {
		if step.Expect != nil && step.Expect.Group != nil && w.Gang != nil && w.Gang.Group == nil {
			return errors.New("this backend's gangs have no group object to look at")
		}
	}
	for _, sub := range scenario.Submits(s.Spec.Steps) {
		if err := w.checkParts(sub); err != nil {
			return err
		}
		if !w.Jobbed(sub) {
			continue
		}
		if _, err := w.JobObject(sub, sub.Gang); err != nil {
			return err
		}
	}
	return nil
}

// checkParts says what of a gang can't be had apart from the rest here.
func (w Writer) checkParts(s *scenario.Submit) error {
	mixed := slices.ContainsFunc(s.Roles, func(r scenario.Role) bool { return r.Scheduler != "" })
	if mixed && w.Backend == scenario.DefaultScheduler {
		return errors.New("the scheduler under test is the default one: no pod can be sent past it")
	}
	gated := slices.ContainsFunc(s.Roles, func(r scenario.Role) bool { return r.Gated > 0 })
	switch {
	case !w.Jobbed(s):
	case s.GroupLate || s.LatePods() > 0:
		return fmt.Errorf("a %s's operator makes the group and the pods, and when is its own affair", w.Job.Kind)
	case gated || s.Queue != "" || s.Together != "" || s.MinResources || s.FormerKey:
		return fmt.Errorf("a %s's operator makes the group and the pods, and how is its own affair", w.Job.Kind)
	}
	if err := w.checkGroup(s); err != nil {
		return err
	}
	if s.GroupLate && w.Gang != nil && w.Gang.Group == nil {
		return errors.New("this backend's gangs have no group object that could come late")
	}
	return nil
}

// checkGroup says what the backend's groups can't say.
func (w Writer) checkGroup(s *scenario.Submit) error {
	switch {
	case w.Gang == nil:
		return nil // a safety control, where there are no gangs
	case s.FormerKey && w.Gang.Former == nil:
		return errors.New("this backend has no former key")
	case s.MinResources && (w.Gang.Group == nil || w.Gang.Group.ResourcesField == ""):
		return errors.New("this backend's groups do not say what they request")
	case s.Queue != "" && w.Gang.Queue == nil:
		return errors.New("this backend has no queues")
	case s.Together != "" && w.Gang.Topology == nil:
		return errors.New("this backend's groups can't say that their pods are to be near each other")
	case s.MadeBy == scenario.ByBackend && w.Gang.Job == nil:
		return errors.New("this backend has no kind of job of its own")
	case s.MadeBy == scenario.ByDeployment && w.Gang.Join.Owner != nil:
		return errors.New("this backend takes pods of one controller for a gang, so that a Deployment's need no group")
	}
	return nil
}
