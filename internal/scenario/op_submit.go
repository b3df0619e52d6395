package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Submit creates the group objects and the pods of one gang, or of several alike.
type Submit struct {
	// Gang is the gang's name; copies are named <gang>-1, <gang>-2 and so on.
	Gang string `json:"gang"`
	// Copies is the number of gangs, at most 5000; 0 is one gang without a number.
	Copies int `json:"copies,omitempty"`
	// Interleaved creates the copies' pods in turn, not gang by gang.
	Interleaved bool `json:"interleaved,omitempty"`
	// Min is the gang's minimum; all of its pods by default.
	Min int `json:"min,omitempty"`
	// Ungrouped pods go to the same scheduler without a group: strangers.
	Ungrouped bool `json:"ungrouped,omitempty"`
	// GroupLate leaves the group object to a later complete step.
	GroupLate bool `json:"groupLate,omitempty"`
	// Queue is the one that the group names: a queue step's, or one that is not there.
	Queue string `json:"queue,omitempty"`
	// Together is a node label: all pods of the gang are to be on nodes with the same value of
	// it. A topology step must have named it.
	Together string `json:"together,omitempty"`
	// MinResources writes into the group object what the pods request together, as
	// operators do.
	MinResources bool `json:"minResources,omitempty"`
	// MadeBy is who makes the pods: Deployment, one whose template names the group; or
	// backend, by a job of its own kind, with the group, and by the case in a control that has none. The case itself by default, or an operator.
	MadeBy string `json:"madeBy,omitempty"`
	// FormerKey has the pods name their group by the key of the backend's last generation.
	FormerKey bool `json:"formerKey,omitempty"`
	// Counts are the numbers of the first role's pods of the copies, in turn, in place of
	// its count.
	Counts []int `json:"counts,omitempty"`
	// Every is the time between one copy and the next.
	Every Duration `json:"every,omitempty"`
	// Runs is how long a gang runs, once it is whole; then its pods succeed.
	Runs Duration `json:"runs,omitempty"`
	// MayBeRefused goes on where the API server refuses the job, the group or one of the pods, again
	// and again for 5s: an expectation is to say so.
	MayBeRefused bool `json:"mayBeRefused,omitempty"`
	// GivesUp makes the job fail with its first failed pod. Else its operator may put another
	// in that one's place.
	GivesUp bool `json:"givesUp,omitempty"`
	// Roles are the gang's pods.
	Roles []Role `json:"roles"`
	// ManifestFile is a job as its author wrote it, below conformance/. It is what is
	// submitted where an operator serves its kind and the scheduler is the one that it
	// asks for, if any; else the roles are.
	ManifestFile string `json:"manifest,omitempty"`

	// Manifest is what the file holds, once loaded.
	Manifest *Manifest `json:"-"`
}

// What is more than these is a slip, and would take all memory.
const (
	maxCopies = 5_000
	maxCount  = 100_000
)

// The values of Submit.MadeBy.
const (
	ByDeployment = "Deployment"
	ByBackend    = "backend"
)

// MaxPriority is the highest that a PriorityClass of a user may have.
const MaxPriority = 1_000_000_000

func (s *Submit) validate() error {
	for _, name := range []string{s.Gang, fmt.Sprintf("%s-%d", s.Gang, s.Copies)} {
		if e := validation.IsDNS1123Label(name); len(e) > 0 {
			return fmt.Errorf("gang: %q: %s", name, e[0])
		}
	}
	if s.Copies < 0 || s.Copies > maxCopies || (s.Interleaved && s.Copies < 2) {
		return fmt.Errorf("copies: %d must be 2 or more to be interleaved, never negative, and at most %d", s.Copies, maxCopies)
	}
	if len(s.Roles) == 0 {
		return fmt.Errorf("roles: there must be one")
	}
	for i := range s.Roles {
		if err := s.validateRole(i); err != nil {
			return err
		}
	}
	if s.Size() == 0 {
		return fmt.Errorf("roles: all of them come first, and one must be the gang's")
	}
	if s.MayBeRefused && s.Copies > 0 {
		return fmt.Errorf("mayBeRefused: is for one gang, not for %d copies", s.Copies)
	}
	if s.Min < 0 || s.Min > s.Size() {
		return fmt.Errorf("min: %d must be between 1 and the gang's %d pods", s.Min, s.Size())
	}
	if e := validation.IsDNS1123Label(s.Queue); s.Queue != "" && len(e) > 0 {
		return fmt.Errorf("queue: %q: %s", s.Queue, e[0])
	}
	switch {
	case s.MadeBy != "" && s.MadeBy != ByDeployment && s.MadeBy != ByBackend:
		return fmt.Errorf("madeBy: %q must be %s or %s, or left out", s.MadeBy, ByDeployment, ByBackend)
	case s.MadeBy != "" && (s.Ungrouped || s.MayBeRefused || s.GroupLate || s.LatePods() > 0):
		return fmt.Errorf("madeBy: a %s's pods are in a group, and neither late nor refused", s.MadeBy)
	case s.MadeBy == ByDeployment && len(s.Roles) > 1:
		return fmt.Errorf("madeBy: a Deployment's pods are of one role")
	}
	return s.validateCopies()
}

// validateCopies checks how the copies differ, and when they come and go.
func (s *Submit) validateCopies() error {
	if (len(s.Counts) > 0 || s.Every > 0) && s.Copies == 0 {
		return fmt.Errorf("copies: must be set where counts or every is")
	}
	for i, n := range s.Counts {
		if n < 1 || n > maxCount || s.Min > 0 || s.Interleaved || s.Roles[0].Late+s.Roles[0].Gated > 0 {
			return fmt.Errorf("counts[%d]: %d must be from 1 to %d, with no min, and no copies that are interleaved, late or gated", i, n, maxCount)
		}
	}
	if s.Every < 0 || s.Runs < 0 || s.Every > 0 && s.Interleaved {
		return fmt.Errorf("every: %s and runs: %s must not be negative, and copies that come one by one are not interleaved", s.Every, s.Runs)
	}
	return nil
}

// Copy is the submission of one of the gangs, the i-th from 0.
func (s *Submit) Copy(i int) *Submit {
	if len(s.Counts) == 0 {
		return s
	}
	one := *s
	one.Roles = slices.Clone(s.Roles)
	one.Roles[0].Count = s.Counts[i%len(s.Counts)]
	return &one
}

// Size is the number of pods of one gang, without those that come first.
func (s *Submit) Size() int {
	n := 0
	for _, r := range s.Roles {
		if !r.First {
			n += r.Count
		}
	}
	return n
}

// members are the roles of the gang's own pods, with the most that a copy has of each.
func (s *Submit) members() []Role {
	var all []Role
	for i, r := range s.Roles {
		if i == 0 && len(s.Counts) > 0 {
			r.Count = slices.Max(s.Counts)
		}
		if !r.First {
			all = append(all, r)
		}
	}
	return all
}

// Minimum is the number of pods below which one gang is of no use.
func (s *Submit) Minimum() int {
	if s.Min > 0 {
		return s.Min
	}
	return s.Size()
}

// LatePods is how many pods of one gang are left to a later step.
func (s *Submit) LatePods() int {
	n := 0
	for _, r := range s.Roles {
		n += r.Late
	}
	return n
}

// Names lists the gangs that the step submits.
func (s *Submit) Names() []string {
	if s.Copies == 0 {
		return []string{s.Gang}
	}
	names := make([]string, s.Copies)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", s.Gang, i+1)
	}
	return names
}

// Has says whether the step submits a gang of that name.
func (s *Submit) Has(name string) bool {
	if s.Copies == 0 {
		return name == s.Gang
	}
	number, ok := strings.CutPrefix(name, s.Gang+"-")
	n, err := strconv.Atoi(number)
	return ok && err == nil && n >= 1 && n <= s.Copies && strconv.Itoa(n) == number
}

func (s *Submit) String() string {
	var roles []string
	for _, r := range s.Roles {
		what := fmt.Sprintf("%d %s", r.Count, r.Name)
		if r.GPUs > 0 {
			what += fmt.Sprintf(" × %d GPU", r.GPUs)
		}
		if r.Priority > 0 {
			what += fmt.Sprintf(" of priority %d", r.Priority)
		}
		if r.Scheduler != "" {
			what += " for " + r.Scheduler
		}
		if r.Late > 0 {
			what += fmt.Sprintf(" (%d of them late)", r.Late)
		}
		if r.Gated > 0 {
			what += fmt.Sprintf(" (%d of them gated)", r.Gated)
		}
		if r.First {
			what += " before the gang"
		}
		roles = append(roles, what)
	}
	text := strings.Join(roles, " + ") + s.how()
	switch {
	case s.Ungrouped:
		return fmt.Sprintf("%s comes, in no gang: %s", s.Gang, text)
	case s.Copies > 0:
		return fmt.Sprintf("%d gangs %s come, min %d each: %s", s.Copies, s.Gang, s.Minimum(), text)
	}
	return fmt.Sprintf("gang %s comes, min %d: %s", s.Gang, s.Minimum(), text)
}

// how says what is unusual about the gang.
func (s *Submit) how() string {
	text := ""
	for _, h := range []struct {
		is   bool
		text string
	}{
		{s.Queue != "", ", in the queue " + s.Queue},
		{s.Together != "", ", on nodes of one " + s.Together},
		{s.MinResources, ", with its resources in the group"},
		{s.MadeBy == ByDeployment, ", made by a Deployment"},
		{s.MadeBy == ByBackend, ", as a job of the backend's own"},
		{s.FormerKey, ", by the key of the last generation"},
		{len(s.Counts) > 0, fmt.Sprintf(", in turn of %v pods", s.Counts)},
		{s.Every > 0, fmt.Sprintf(", one each %s", s.Every)},
		{s.GivesUp, ", and fails with the first of them"},
		{s.Runs > 0, fmt.Sprintf(", running %s once whole", s.Runs)},
	} {
		if h.is {
			text += h.text
		}
	}
	return text
}

// Submits lists every submit step, those of repeated blocks included.
func Submits(steps []Step) []*Submit {
	var all []*Submit
	for s := range Each(steps) {
		if s.Submit != nil {
			all = append(all, s.Submit)
		}
	}
	return all
}
