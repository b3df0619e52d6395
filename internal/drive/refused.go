package drive

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// persistFor is how long a refused request is tried again, as a controller does: a webhook
// that was just started may listen and not know its paths yet.
const persistFor = scenario.Duration(5 * time.Second)

// refusable submits an object. Where the step goes on though the API server refuses it, it
// is tried again for a while first, and then the refusal is recorded.
func (d *driver) refusable(ctx context.Context, s *scenario.Submit, u *unstructured.Unstructured) error {
	if !s.MayBeRefused {
		return d.submit(ctx, u)
	}
	var answer apierrors.APIStatus
	passed := errors.New("the time has passed")
	within, cancel := context.WithTimeoutCause(ctx, persistFor.Scale(d.Begin.Patience), passed)
	defer cancel()
	err := insist(within, func() (bool, error) {
		err := d.submit(ctx, u)
		if errors.As(err, &answer) {
			return false, nil
		}
		return true, err
	})
	if !errors.Is(err, passed) {
		return err
	}
	d.rec.Record(timeline.Event{Refused: &timeline.Refused{
		Verb: "create", Resource: d.plural(u).Resource, Name: u.GetName(), Err: answer.Status().Message,
	}})
	return nil
}

func (d *driver) refusals() (n int) {
	d.rec.Look(func(s *timeline.State) { n = len(s.Refused) })
	return n
}

// firstLook is when the audit log is read for the first time. A component that is refused
// much may not live to the end.
const firstLook = scenario.Duration(3 * time.Second)

// expectDenied reads the audit log soon, and when the time is over.
func (d *driver) expectDenied(ctx context.Context, e *scenario.Expect) error {
	first := min(firstLook, e.For)
	for _, wait := range []scenario.Duration{first, e.For - first} {
		err := errors.Join(pause(ctx, wait.Scale(d.Begin.Patience)), d.recordDenied())
		if err == nil {
			err = d.metNow(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// skipDenied leaves out what was refused since recordDenied: a bundle that is taken from
// under its components keeps them from much.
func (d *driver) skipDenied() error {
	return d.countDenied(func(timeline.Denied) {})
}

// recordDenied records what the API server refused to ServiceAccounts since it was last
// asked.
func (d *driver) recordDenied() error {
	return d.countDenied(func(x timeline.Denied) { d.rec.Record(timeline.Event{Denied: &x}) })
}

// countDenied tells what is new of each kind of request.
func (d *driver) countDenied(tell func(timeline.Denied)) error {
	asked, err := d.Cluster.Requests()
	for _, r := range asked {
		for _, missing := range []bool{false, true} {
			x := timeline.Denied{User: r.User, Verb: r.Verb, Resource: r.Qualified(), Missing: missing}
			count := r.Refused
			if missing {
				count = r.Missing
			}
			before := d.told[x]
			d.told[x] = count
			if x.Count = count - before; x.Count > 0 {
				tell(x)
			}
		}
	}
	return err
}

// notApplicable ends a run whose steps turn out to be impossible on this backend.
type notApplicable string

func (n notApplicable) Error() string { return string(n) }

const (
	// Kubernetes' own groups have a finalizer as long as they have pods.
	errProtected notApplicable = "this backend keeps a group that has pods: none can lose theirs"
	// Volcano's webhook of up to v1.10 has pods come after their group.
	errGroupFirst notApplicable = "this backend refuses pods whose group is not there"
)

// groupFirst tells that refusal from other errors.
func (d *driver) groupFirst(gang string, err error) error {
	var refused apierrors.APIStatus
	lacksGroup := slices.ContainsFunc(d.lacking[gang], func(o *unstructured.Unstructured) bool { return o.GetKind() != "Pod" })
	if lacksGroup && errors.As(err, &refused) {
		return errGroupFirst
	}
	return err
}
