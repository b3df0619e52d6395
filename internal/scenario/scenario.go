// Package scenario is the vocabulary of cases: data, decoded strictly, and the
// expectations that both the driver and the judge evaluate. It talks to nothing.
//
// Each operation has a file of its own.
package scenario

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/strict"
)

// Scenario is a case: conformance/cases/<name>.yaml.
type Scenario struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`
}

// Metadata names the case; the file has the same name.
type Metadata struct {
	// Name is a DNS label of at most 45 characters.
	Name string `json:"name"`
}

// Spec is what the case does and what must come of it.
type Spec struct {
	// Description is one sentence: what must be true.
	Description string `json:"description"`
	// Profile is the group of cases that it runs with.
	Profile string `json:"profile"`
	// Feature is what the case tests. A backend that does not claim it may fail.
	Feature string `json:"feature"`
	// Source is where the fault was reported: an issue thread or a document.
	Source string `json:"source,omitempty"`
	// Settle is how long a gang may be partly bound while it binds; 3s by default.
	Settle Duration `json:"settle,omitempty"`
	// Kubernetes is a range of versions that the case needs, such as ">=1.27"; it is not
	// applicable to others. Every one by default.
	Kubernetes string `json:"kubernetes,omitempty"`
	// Needs are what the case can't do without, beyond what its steps show: kubelet, real
	// nodes; deployments, a bundle that runs something of its own; webhooks, one with
	// admission webhooks. Where that is missing, it is NotApplicable.
	Needs []Need `json:"needs,omitempty"`
	// Jobs says that the case is of jobs, which an operator turns into gangs.
	Jobs *Jobs `json:"jobs,omitempty"`
	// Alone runs the case with no other lab beside it: it measures speed.
	Alone bool `json:"alone,omitempty"`
	// Steps are what is done and what is expected, in this order.
	Steps []Step `json:"steps"`
	// Control is the same case where it must go wrong.
	Control Control `json:"control"`
}

// Core is the feature that every gang backend promises: it needs no claim.
const Core = "all-or-nothing"

// DefaultSettle is the settle window of a case that sets none.
const DefaultSettle = Duration(3 * time.Second)

// Step is exactly one operation.
type Step struct {
	// Name lets a control refer to the step.
	Name string `json:"name,omitempty"`

	Nodes     *Nodes     `json:"nodes,omitempty"`
	Change    *Change    `json:"change,omitempty"`
	Drain     *Drain     `json:"drain,omitempty"`
	Quota     *Quota     `json:"quota,omitempty"`
	Queue     *Queue     `json:"queue,omitempty"`
	Topology  *Topology  `json:"topology,omitempty"`
	Submit    *Submit    `json:"submit,omitempty"`
	Complete  *Complete  `json:"complete,omitempty"`
	Expect    *Expect    `json:"expect,omitempty"`
	Scale     *Scale     `json:"scale,omitempty"`
	Suspend   *Suspend   `json:"suspend,omitempty"`
	Finish    *Finish    `json:"finish,omitempty"`
	Delete    *Delete    `json:"delete,omitempty"`
	Kill      *Kill      `json:"kill,omitempty"`
	Pause     *Pause     `json:"pause,omitempty"`
	Intercept *Intercept `json:"intercept,omitempty"`
	Sync      *Sync      `json:"sync,omitempty"`
	Uninstall *Uninstall `json:"uninstall,omitempty"`
	Enforce   *Enforce   `json:"enforce,omitempty"`
	Break     *Break     `json:"break,omitempty"`
	Wait      *Wait      `json:"wait,omitempty"`
	Repeat    *Repeat    `json:"repeat,omitempty"`
}

// operation is what each operation of the vocabulary can do without a cluster.
type operation interface {
	// validate names the field and the value of the first thing wrong.
	validate() error
	// String says the step in words.
	String() string
}

// Op returns the step's operation and its name.
func (s *Step) Op() (string, fmt.Stringer) {
	name, op := s.op()
	return name, op
}

func (s *Step) op() (name string, op operation) {
	for name, op := range s.set() {
		return name, op
	}
	return "", nil
}

// set are the operations that the step has: one, in a good case.
func (s *Step) set() map[string]operation {
	set := map[string]operation{}
	v := reflect.ValueOf(s).Elem()
	for i, name := range operations {
		if op := v.Field(i); !op.IsNil() {
			set[name], _ = op.Interface().(operation)
		}
	}
	return set
}

// operations are the names of Step's fields that are operations, by the field's place.
var operations = func() map[int]string {
	names := map[int]string{}
	t := reflect.TypeFor[Step]()
	for i := range t.NumField() {
		if f := t.Field(i); f.Type.Implements(reflect.TypeFor[operation]()) {
			names[i], _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
	}
	return names
}()

// Operations lists the vocabulary.
func Operations() []string { return slices.Sorted(maps.Values(operations)) }

// RunsOn says why the case can't be run on a version of Kubernetes; nil if it can.
func (s *Scenario) RunsOn(kubernetes string) error {
	if s.Spec.Kubernetes == "" {
		return nil
	}
	in, err := catalog.InRange(s.Spec.Kubernetes, kubernetes)
	if err == nil && !in {
		err = fmt.Errorf("it needs Kubernetes %s, and this is %s", s.Spec.Kubernetes, kubernetes)
	}
	return err
}

// Decode reads a case. The error names the file, the step and the field.
func Decode(file string, data []byte) (*Scenario, error) {
	s := &Scenario{}
	if err := strict.YAML(file, data, s); err != nil {
		if at := locate(data); at != nil {
			return nil, fmt.Errorf("%s: %w", file, at)
		}
		return nil, err
	}
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	name := s.Metadata.Name
	if want := strings.TrimSuffix(path.Base(file), ".yaml"); name != want {
		return nil, fmt.Errorf("%s: metadata.name: %q must be the file's name, %q", file, name, want)
	}
	if e := validation.IsDNS1123Label(name); len(e) > 0 {
		return nil, fmt.Errorf("%s: metadata.name: %q: %s", file, name, e[0])
	}
	if len(name) > maxName {
		return nil, fmt.Errorf("%s: metadata.name: %q must have at most %d characters", file, name, maxName)
	}
	return s, nil
}

// maxName leaves room in a namespace's name for what else it says.
const maxName = 45

// Load reads every case of a folder, by name.
func Load(tree fs.FS, dir string) ([]*Scenario, error) {
	files, err := fs.Glob(tree, dir+"/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []*Scenario
	for _, f := range files {
		data, err := fs.ReadFile(tree, f)
		if err != nil {
			return nil, err
		}
		s, err := Decode(f, data)
		if err != nil {
			return nil, err
		}
		if err := s.loadManifests(tree, path.Dir(dir)); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no case in this folder", dir)
	}
	return all, nil
}

// Weight is roughly how long the steps take: the sum of the times that they watch.
func Weight(steps []Step) time.Duration {
	var sum time.Duration
	for i := range steps {
		switch s := &steps[i]; {
		case s.Expect != nil:
			sum += s.Expect.Hold(1, time.Minute) + time.Second
		case s.Wait != nil:
			sum += time.Duration(s.Wait.For)
		case s.Repeat != nil:
			sum += time.Duration(s.Repeat.Times) * Weight(s.Repeat.Steps)
		}
	}
	return sum
}
