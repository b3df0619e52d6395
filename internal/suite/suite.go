// Package suite runs cases side by side, each with its control. Schedulers look at the
// whole cluster, so a lab has one case at a time. One that ended well leaves its lab to
// the next, emptied; whatever is not a Pass comes from labs that are new, or renewed.
package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/strict"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// Suite is a backend, or an operator on one, ready to be put to the test.
type Suite struct {
	Release *catalog.Release
	// Pair is the operator that makes the gangs of jobs; nil submits pods and groups.
	Pair       *catalog.Pair
	Kubernetes string
	// Flags are that version's own, by component of the lab.
	Flags map[string][]string
	// ControlPlane holds flags besides the release's, for mutants.
	ControlPlane map[string][]string
	// Binaries maps the lab's and the release's binaries to their paths.
	Binaries map[string]string
	// Objects are the release's, rendered, and the operator's.
	Objects []*unstructured.Unstructured
	// Off are the operator's with gang scheduling off, for controls.
	Off         []*unstructured.Unstructured
	CertManager []*unstructured.Unstructured
	// Previous is an earlier release that the same Kubernetes serves, and NoGangs are the
	// objects without gang scheduling; nil where no case needs them, or there are none.
	Previous *Previous
	NoGangs  []*unstructured.Unstructured
	// Verifier are the roles that the cases run under.
	Verifier []*unstructured.Unstructured
	// VerifierOff are those of a safety control, where there is no backend.
	VerifierOff []*unstructured.Unstructured
	Stages      []byte
	// Labs is where the labs live; suites may share it.
	Labs *Labs
	// Out is the folder of the results.
	Out string
	// Controls is a folder of safety controls that suites share; "" shares none.
	Controls string
	// Patience multiplies every duration of the cases; 0 goes by how long each lab took
	// to start.
	Patience float64
	// Parallel is how many labs run at once; 0 chooses.
	Parallel int
	// Suspects are cases that most likely do not pass: they get fresh labs at once, and need
	// not be run again.
	Suspects []string
	// Spoil, if set, changes a case for its run on the backend. The control stays as it is.
	Spoil func(*scenario.Scenario) (*scenario.Scenario, error)
	// Progress, if set, is told which runs are under way whenever that changes.
	Progress func(done, total int, running []string)
}

// Operator is operator@version/Kind; "" where there is none.
func (s *Suite) Operator() string {
	if s.Pair == nil {
		return ""
	}
	return s.Pair.String()
}

// String names what is put to the test.
func (s *Suite) String() string {
	if s.Pair == nil {
		return s.Release.String()
	}
	return s.Pair.String() + " on " + s.Release.String()
}

// job is one run of a case.
type job struct {
	*pending
	run string
}

// fresh says that the run is to be in a new lab, or a renewed one.
func (j job) fresh() bool { return j.again || j.suspect && j.run == timeline.Subject }

// pending is a case whose runs have not all ended.
type pending struct {
	scenario *scenario.Scenario
	dir      string
	left     int
	err      error
	// used has the runs whose lab had a case before; again says that those in doubt are
	// run in fresh ones.
	used  sync.Map
	again bool
	// suspect is one of the suite's.
	suspect bool
	// kept is where the control is kept for other suites, if it is.
	kept string
}

var runs = []string{timeline.Subject, timeline.Control}

// Run runs the cases, each with its control, and calls each as one ends. The long
// ones start first. Cases that measure speed come last, and have no lab beside them.
func (s *Suite) Run(ctx context.Context, cases []*scenario.Scenario, each func(report.Case)) ([]report.Case, error) {
	together, alone, err := s.plan(cases)
	if err != nil {
		return nil, err
	}
	var all []report.Case
	var errs []error
	var ending sync.Mutex
	under := &underWay{total: len(together) + len(alone), tell: s.Progress}
	run := func(b *bench, j job) (last bool) {
		under.begin(j)
		err := s.record(ctx, b, j)
		under.end(j)
		ending.Lock()
		defer ending.Unlock()
		j.err = errors.Join(j.err, err)
		j.left--
		return j.left == 0
	}
	do := func(b *bench, j job) {
		if !run(b, j) {
			return
		}
		done, err := s.conclude(j.pending)
		if doubtful := j.doubtful(done.Verdict); err == nil && len(doubtful) > 0 {
			j.again, j.left = true, len(doubtful)
			under.more(len(doubtful))
			var before *report.Before
			if before, err = j.setAside(done); err == nil {
				for _, r := range doubtful {
					run(b, job{j.pending, r})
				}
				done, err = s.conclude(j.pending)
			}
			if err == nil && done.Verdict.Outcome != before.Outcome {
				done.Before = before
			}
		}
		if err == nil {
			err = j.tidy(done.Verdict)
		}
		ending.Lock()
		defer ending.Unlock()
		if err != nil {
			errs = append(errs, fmt.Errorf("case %s: %w", j.scenario.Metadata.Name, err))
			return
		}
		all = append(all, done)
		each(done)
	}
	errs = append(errs, (&crew{suite: s, jobs: together, do: do}).work())
	if len(alone) > 0 {
		errs = append(errs, s.Labs.keepOnly(s.labKey(false)))
	}
	b := &bench{suite: s}
	for _, j := range alone {
		do(b, j)
	}
	errs = append(errs, b.leave())
	if err := context.Cause(ctx); err != nil {
		return all, err
	}
	return all, errors.Join(errs...)
}

// doubtful are the runs in a lab that had a case before that keep the case from a Pass:
// they are run again in fresh labs, and that counts.
func (p *pending) doubtful(v *verdict.Verdict) []string {
	if v == nil || p.again || v.Outcome == verdict.Pass || v.Outcome == verdict.NotApplicable {
		return nil
	}
	good := map[string]bool{
		timeline.Subject: v.Subject.Outcome == verdict.Pass,
		timeline.Control: v.ControlHeld(),
	}
	return slices.DeleteFunc(slices.Clone(runs), func(run string) bool {
		_, used := p.used.Load(run)
		return good[run] || !used
	})
}

// setAside keeps what a case showed before it is run again.
func (p *pending) setAside(done report.Case) (*report.Before, error) {
	to := filepath.Join(p.dir, BeforeFile)
	b := &report.Before{Outcome: done.Verdict.Outcome, Reason: done.Verdict.Reason, Timeline: to}
	return b, os.Rename(done.Timeline, to)
}

// plan makes each case's folder, and puts the runs in order.
func (s *Suite) plan(cases []*scenario.Scenario) (together, alone []job, err error) {
	order := slices.Clone(cases)
	suspect := func(c *scenario.Scenario) bool { return slices.Contains(s.Suspects, c.Metadata.Name) }
	hope := func(c *scenario.Scenario) int {
		if s.claims(c.Spec.Feature) && !suspect(c) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b *scenario.Scenario) int {
		return cmp.Compare(scenario.Weight(b.Spec.Steps), scenario.Weight(a.Spec.Steps))
	})
	// The longest is first, since all wait for it in the end. Then, while labs are new, what
	// is suspect or the backend does not claim: if it fails, it need not be run again.
	if len(order) > 0 {
		slices.SortStableFunc(order[1:], func(a, b *scenario.Scenario) int {
			return hope(a) - hope(b)
		})
	}
	for _, c := range order {
		p := &pending{scenario: c, dir: filepath.Join(s.Out, "cases", c.Metadata.Name), left: len(runs), suspect: suspect(c)}
		if err := errors.Join(os.RemoveAll(p.dir), os.MkdirAll(p.dir, 0o755)); err != nil {
			return nil, nil, err
		}
		for _, run := range runs {
			// With other suites beside it, nothing is alone.
			if c.Spec.Alone && run == timeline.Subject && !s.Labs.shared {
				alone = append(alone, job{p, run})
			} else {
				together = append(together, job{p, run})
			}
		}
	}
	return together, alone, nil
}

// conclude judges what was recorded of a case.
func (s *Suite) conclude(p *pending) (report.Case, error) {
	if p.err != nil {
		return report.Case{}, p.err
	}
	file, err := p.join()
	if err != nil {
		return report.Case{}, err
	}
	v, err := JudgeFile(file)
	if err != nil {
		return report.Case{}, err
	}
	text, err := strict.Marshal(v)
	if err != nil {
		return report.Case{}, err
	}
	done := report.Case{Scenario: p.scenario, Verdict: v, Claimed: s.claims(p.scenario.Spec.Feature), Timeline: file}
	return done, os.WriteFile(filepath.Join(p.dir, VerdictFile), text, 0o644)
}

// JudgeFile judges a recorded timeline.
func JudgeFile(path string) (*verdict.Verdict, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	v, err := verdict.Judge(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

func (s *Suite) claims(feature string) bool {
	return feature == scenario.Core || slices.Contains(s.Release.Backend.Spec.Claims, feature)
}
