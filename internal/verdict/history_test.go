package verdict

import (
	"bytes"
	"encoding/json"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// history is a random run, small, of events as a recorder could have seen them.
type history struct {
	begin  timeline.Begin
	spec   scenario.Spec
	events []timeline.Event // after begin
}

// The steps that a history may go through, by their place in the case.
const (
	firstExpect = 4
	lastExpect  = 6
	otherSteps  = 7
)

var (
	gangNames = []string{"a", "b", "c-1", "c-2"}
	others    = []string{"delete", "drain", "finish", "nodes", "intercept", "wait"}
	nodeNames = []string{"n1", "n2", "n3"}
)

// text is the run as a file.
func (h *history) text() []byte {
	var out bytes.Buffer
	w := timeline.NewWriter(&out)
	spec, err := json.Marshal(scenario.Scenario{Metadata: scenario.Metadata{Name: "toy"}, Spec: h.spec})
	if err != nil {
		panic(err)
	}
	begin := h.begin
	begin.Scenario = spec
	for i, e := range append([]timeline.Event{{Begin: &begin}}, h.events...) {
		e.Seq = i + 1
		if err := w.Write(e); err != nil {
			panic(err)
		}
	}
	if err := w.Flush(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// judged is the verdict of the run alone.
func (h *history) judged(t *rapid.T) Run {
	v, err := Judge(bytes.NewReader(h.text()))
	if err != nil {
		t.Fatalf("%v\n%s", err, h.text())
	}
	return v.Subject
}

// end is the run's length.
func (h *history) end() timeline.Time {
	if len(h.events) == 0 {
		return 0
	}
	return h.events[len(h.events)-1].At
}
