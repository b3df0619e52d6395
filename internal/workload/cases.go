package workload

import (
	"fmt"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
)

// Profile is the group that the cases of a manifest are in.
const Profile = "manifest"

// Cases put the gang to the test on nodes that are sized by its own requests.
func (g *Gang) Cases() ([]*scenario.Scenario, error) {
	r, err := g.room()
	if err != nil {
		return nil, err
	}
	if len(g.Name) > longestName {
		return nil, fmt.Errorf("%s: metadata.name: %q must be of at most %d characters", g.file, g.Name, longestName)
	}
	const second = scenario.Duration(time.Second)
	all, none, allOrNone := &scenario.Bound{Word: "all"}, &scenario.Bound{Word: "none"}, &scenario.Bound{Word: "all-or-none"}
	one, two := 1, 2
	next, twins, stranger := g.Name+"-next", g.Name+"-*", g.Name+"-stranger"
	onPlain := scenario.Control{Scheduler: scenario.DefaultScheduler, Breaks: scenario.AllOrNothing}
	strangers := r.stranger
	strangers.Name, strangers.Count = "pod", r.beside+1

	cases := []*scenario.Scenario{
		newCase("manifest-pending-then-running", scenario.Core,
			fmt.Sprintf("%s binds no pod on %s, and all on %s.", g.Name, nodes(r.short), nodes(r.whole)),
			onPlain,
			scenario.Step{Nodes: r.add(r.short)},
			scenario.Step{Submit: g.submit(g.Name)},
			scenario.Step{Expect: &scenario.Expect{Gang: g.Name, Bound: none, For: 10 * second}},
			scenario.Step{Nodes: r.add(r.whole - r.short)},
			scenario.Step{Expect: &scenario.Expect{Gang: g.Name, Bound: all, Within: 30 * second, For: 2 * second}},
		),
		newCase("manifest-release", scenario.Core,
			fmt.Sprintf("The room of %s starts the next of its kind, once it is deleted.", g.Name),
			scenario.Control{Scheduler: scenario.StoppedScheduler, Before: "release"},
			scenario.Step{Nodes: r.add(r.whole)},
			scenario.Step{Submit: g.submit(g.Name)},
			scenario.Step{Expect: &scenario.Expect{Gang: g.Name, Bound: all, Within: 30 * second}},
			scenario.Step{Submit: g.submit(next)},
			scenario.Step{Expect: &scenario.Expect{Gang: next, Bound: none, For: 5 * second}},
			scenario.Step{Name: "release", Delete: &scenario.Delete{Gang: g.Name}},
			scenario.Step{Expect: &scenario.Expect{Gang: next, Bound: all, Within: 30 * second, For: 2 * second}},
		),
	}
	if g.Min < len(g.needs) {
		// Two gangs may share what room there is as they like, and no member need be replaced.
		g.leaveOut("cases of twins and of a lost member: %d of its %d pods are enough", g.Min, len(g.needs))
		return cases, nil
	}
	cases = append(cases,
		newCase("manifest-twins", scenario.Core,
			fmt.Sprintf("Of two like %s that come at once to %s, one is bound and the other holds nothing until it ends.", g.Name, nodes(r.both)),
			onPlain,
			scenario.Step{Nodes: r.add(r.both)},
			scenario.Step{Submit: g.twins()},
			scenario.Step{Expect: &scenario.Expect{Gang: twins, Whole: &one, Within: 30 * second, For: 5 * second}},
			scenario.Step{Finish: &scenario.Finish{Gang: twins, Whole: true}},
			scenario.Step{Expect: &scenario.Expect{Gang: twins, Whole: &two, Within: 30 * second}},
		),
	)
	if !r.strangersAsk() {
		g.leaveOut("a case of a lost member: nothing but it asks for %s", r.scarce)
		return cases, nil
	}
	lost := newCase("manifest-lost-member", "member-recovery",
		fmt.Sprintf("When a running member of %s dies while a stranger waits, its replacement gets the room, or the gang gives up whole.", g.Name),
		onPlain,
		scenario.Step{Nodes: r.add(r.whole)},
		scenario.Step{Submit: g.submit(g.Name)},
		scenario.Step{Expect: &scenario.Expect{Gang: g.Name, Bound: all, Within: 30 * second}},
		scenario.Step{Submit: &scenario.Submit{Gang: stranger, Ungrouped: true, Roles: []scenario.Role{strangers}}},
		scenario.Step{Expect: &scenario.Expect{Gang: stranger, Bound: &scenario.Bound{Count: r.beside}, Within: 15 * second, For: 3 * second}},
		scenario.Step{Delete: &scenario.Delete{Gang: g.Name, Pods: 1, Role: r.stranger.Name, Replaced: true}},
		scenario.Step{Expect: &scenario.Expect{Gang: g.Name, Bound: allOrNone, Within: 15 * second}},
	)
	// As in the case stolen-slot.
	lost.Spec.Settle, lost.Spec.Control.For = 12*second, 15*second
	return append(cases, lost), nil
}

// longestName leaves room for what is put behind it in a label's value.
const longestName = 63 - len("-stranger")

func newCase(name, feature, about string, control scenario.Control, steps ...scenario.Step) *scenario.Scenario {
	return &scenario.Scenario{
		APIVersion: "gangctl.dev/v1alpha1", Kind: "Scenario", Metadata: scenario.Metadata{Name: name},
		Spec: scenario.Spec{Description: about, Profile: Profile, Feature: feature, Steps: steps, Control: control},
	}
}

// add is a number of nodes of the shape.
func (r *room) add(n int) *scenario.Nodes {
	more := r.node
	more.Add = n
	return &more
}

// submit is the gang, by a name.
func (g *Gang) submit(name string) *scenario.Submit {
	return &scenario.Submit{Gang: name, Min: g.Min, Roles: g.Roles, ManifestFile: g.file, Manifest: g.manifest, MadeBy: g.madeBy}
}

// twins are two of the gang.
func (g *Gang) twins() *scenario.Submit {
	s := g.submit(g.Name)
	s.Copies, s.Interleaved = 2, true
	return s
}

func nodes(n int) string {
	if n == 1 {
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}
