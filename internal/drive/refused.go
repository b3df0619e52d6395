package drive

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// refusable records what the API server refused to create, where the step goes on all the
// same; any other error is returned.
func (d *driver) refusable(s *scenario.Submit, u *unstructured.Unstructured, err error) error {
	var answer apierrors.APIStatus
	if !s.MayBeRefused || !errors.As(err, &answer) {
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

// recordDenied records what the API server refused to ServiceAccounts since it was last
// asked.
func (d *driver) recordDenied() error {
	asked, err := d.Cluster.Requests()
	for _, r := range asked {
		request := timeline.Denied{User: r.User, Verb: r.Verb, Resource: r.Qualified()}
		d.denied(request, r.Refused)
		request.Missing = true
		d.denied(request, r.Missing)
	}
	return err
}

// denied records what is new of a count.
func (d *driver) denied(request timeline.Denied, count int) {
	event := request
	event.Count = count - d.told[request]
	if event.Count > 0 {
		d.told[request] = count
		d.rec.Record(timeline.Event{Denied: &event})
	}
}
