package catalog

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Backend is a gang scheduler, as bundles/<name>/backend.yaml describes it.
type Backend struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Metadata   Metadata    `json:"metadata"`
	Spec       BackendSpec `json:"spec"`

	// Releases are the version folders beneath the backend, oldest first.
	Releases []*Release `json:"-"`
	// Shared are the other folders beneath it: what versions have in common.
	Shared []string `json:"-"`
}

// Metadata names an object of the catalog.
type Metadata struct {
	Name string `json:"name"`
}

// BackendSpec says how pods reach the backend and how they become a gang there.
type BackendSpec struct {
	// Title is the backend's name as people write it.
	Title string `json:"title"`
	// Docs is where the backend documents its gang scheduling.
	Docs string `json:"docs"`
	// SchedulerName goes into spec.schedulerName of every member.
	SchedulerName string `json:"schedulerName"`
	// Scheduler names the process (or the lab component) that binds the pods:
	// liveness controls stop it.
	Scheduler string `json:"scheduler"`
	// Gang is how a gang is written down for this backend. A release may replace it.
	Gang Gang `json:"gang"`
	// Timeout is the longest after which the backend itself gives up on a gang that waits
	// for its members; nil where it never does.
	Timeout *Timeout `json:"timeout,omitempty"`
	// Claims are the features that the backend's own documentation promises,
	// beyond the core ones that every gang backend promises.
	Claims []string `json:"claims,omitempty"`
}

// Timeout is a time that a backend declares.
type Timeout struct {
	// Length is as Go writes it: 60s.
	Length metav1.Duration `json:"length"`
	// Source says where it is declared: a setting's name, or a line of its source.
	Source string `json:"source"`
}

// Gang is the backend's way to write down a gang: a group object, and a key on
// each member that names it.
type Gang struct {
	// Group is the group object; nil where members carry everything themselves.
	Group *GroupObject `json:"group,omitempty"`
	// Join is where a member names its group.
	Join Join `json:"join"`
	// Former is the key of the backend's last generation, or one that is easily taken for
	// Join; nil where there is none.
	Former *Join `json:"former,omitempty"`
	// Queue is what groups wait in; nil where there are no queues.
	Queue *Queue `json:"queue,omitempty"`
	// Job is the backend's own kind of job, of which it makes the group and the pods itself;
	// nil where it has none.
	Job *OwnJob `json:"job,omitempty"`
	// Topology keeps a gang's pods together; nil where groups can't say that.
	Topology *Topology `json:"topology,omitempty"`
}

// OwnJob is how a gang is written down as a job of the backend's own.
type OwnJob struct {
	ObjectKind `json:",inline"`
	// SchedulerField and MinField are the dotted paths of the scheduler's name and of the
	// gang's minimum.
	SchedulerField string `json:"schedulerField"`
	MinField       string `json:"minField"`
	// Roles is the dotted path of the list of roles; Count of the number of pods in an
	// entry, and Template of the pod template there.
	Roles    string `json:"roles"`
	Count    string `json:"count"`
	Template string `json:"template"`
	// Fields are further fields, by path.
	Fields map[string]any `json:"fields,omitempty"`
	// Absent are the dotted paths of what a manifest may name and a lab does not have, such
	// as a queue.
	Absent []string `json:"absent,omitempty"`
	// EntryUnread are those of what decides on the pods of an entry in ways that a manifest
	// is not read for.
	EntryUnread []string `json:"entryUnread,omitempty"`
}

// Topology is how a group says that all of its pods are to be in one domain: on nodes with
// the same value of a label. In the values of its fields, {label} and {value} stand for
// these.
type Topology struct {
	// Versions is a semver range of the releases that know it; all by default.
	Versions string `json:"versions,omitempty"`
	// Fields are those of the group object, by path.
	Fields map[string]any `json:"fields"`
	// Domain is an object for each value of the label, of no namespace; nil where the
	// backend reads the nodes' labels itself.
	Domain *Domain `json:"domain,omitempty"`
}

// Domain is an object that says which nodes are near each other.
type Domain struct {
	ObjectKind `json:",inline"`
	// Fields are the object's, by path.
	Fields map[string]any `json:"fields"`
}

// Queue is the backend's kind of queue, which is of no namespace.
type Queue struct {
	ObjectKind `json:",inline"`
	// WeightField is the dotted path of its share beside other queues.
	WeightField string `json:"weightField"`
	// LimitField is the dotted path of the map from resource to the most that its pods may
	// hold; empty where it has no limit.
	LimitField string `json:"limitField,omitempty"`
	// StateField is the dotted path of the state that is Open once groups may come; empty
	// where there is none.
	StateField string `json:"stateField,omitempty"`
}

// GroupObject is the backend's pod group.
type GroupObject struct {
	ObjectKind `json:",inline"`
	// MinField is the dotted path of the gang's minimum, such as spec.minMember. A
	// number in a path is the place in a list.
	MinField string `json:"minField"`
	// Fields are further fields that the object needs, by path.
	Fields map[string]string `json:"fields,omitempty"`
	// QueueField is the dotted path of the queue; empty where there are none.
	QueueField string `json:"queueField,omitempty"`
	// PriorityField is the dotted path of the PriorityClass that all members have; empty where
	// the group names none.
	PriorityField string `json:"priorityField,omitempty"`
	// ResourcesField is the dotted path of what the members request together; empty where
	// there is none.
	ResourcesField string `json:"resourcesField,omitempty"`
	// PhaseField is the dotted path of the phase; empty where there is none.
	PhaseField string `json:"phaseField,omitempty"`
}

// Join is exactly one of an annotation, a label, a field or an owner of the pod.
type Join struct {
	Annotation string `json:"annotation,omitempty"`
	Label      string `json:"label,omitempty"`
	Field      string `json:"field,omitempty"`
	// Owner is the kind of object that is the controller of the members and of their
	// group alike.
	Owner *ObjectKind `json:"owner,omitempty"`
	// MinLabel carries the gang's minimum, where there is no group object to.
	MinLabel string `json:"minLabel,omitempty"`
	// Fields are further fields that a member needs beside Field, by path.
	Fields map[string]string `json:"fields,omitempty"`
}

// String says where a member names its group.
func (j Join) String() string {
	switch {
	case j.Owner != nil:
		return "its controller, a " + j.Owner.Kind
	case j.Label != "":
		return "the label " + j.Label
	case j.Annotation != "":
		return "the annotation " + j.Annotation
	}
	return j.Field
}

// ObjectKind names a kind of object.
type ObjectKind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Resource is the plural, for watches and RBAC.
	Resource string `json:"resource"`
}

// GVR is what clients ask for.
func (k ObjectKind) GVR() schema.GroupVersionResource {
	return schema.FromAPIVersionAndKind(k.APIVersion, k.Kind).GroupVersion().WithResource(k.Resource)
}

// Release is one version of a backend, the folder bundles/<backend>/<version>, or a
// variant of one.
type Release struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Spec       ReleaseSpec `json:"spec"`

	// Backend and Version come from the folders' names.
	Backend *Backend `json:"-"`
	Version string   `json:"-"`
	// Variant is nil for the release itself.
	Variant *Variant `json:"-"`
	// Path is the release's folder within the catalog, slash-separated.
	Path string `json:"-"`
}

// ReleaseSpec is what differs between versions.
type ReleaseSpec struct {
	Bundle `json:",inline"`
	// ControlPlane holds extra flags for the lab's own components, by component.
	ControlPlane map[string][]string `json:"controlPlane,omitempty"`
	// Gang replaces the backend's, where a version writes gangs differently.
	Gang *Gang `json:"gang,omitempty"`
	// Variants are other ways to install or to use the same version.
	Variants []Variant `json:"variants,omitempty"`
}

// Variant is another way to install or to use a release; <backend>@<version>+<name>.
type Variant struct {
	Name string `json:"name"`
	// About says in a sentence what is different.
	About string `json:"about"`
	// Overlay is the folder, relative to the release's, with the kustomization to apply; the
	// release's own by default.
	Overlay string `json:"overlay,omitempty"`
	// SchedulerName replaces the backend's.
	SchedulerName string `json:"schedulerName,omitempty"`
	// Replaces is the component of the lab that is not started, as this takes its place.
	Replaces string `json:"replaces,omitempty"`
	// Gang replaces the release's way to write a gang down.
	Gang *Gang `json:"gang,omitempty"`
}

// Bundle is what every release has, a backend's or an operator's: where it comes
// from, where it runs, and how the lab runs it.
type Bundle struct {
	Kubernetes KubernetesRange `json:"kubernetes"`
	// Upstream lists every remote file the kustomization refers to.
	Upstream []Upstream `json:"upstream,omitempty"`
	// Build makes the release's binaries for the lab; nil where the lab's own serve.
	Build *Build `json:"build,omitempty"`
	// Parts are built in modules of their own, as one go.mod can't serve all: each by
	// the folder below the release's that holds its build/.
	Parts map[string]Build `json:"parts,omitempty"`
	// Processes are the Deployments that the lab runs, in start order.
	Processes []Process `json:"processes,omitempty"`
}

// KubernetesRange says which Kubernetes versions the release supports.
type KubernetesRange struct {
	// Range is a semver constraint; Source says where upstream declares it.
	Range  string `json:"range"`
	Source string `json:"source"`
	// Lab is the version that the lab runs when none is asked for.
	Lab string `json:"lab"`
}

// Upstream is one remote file, pinned: the same bytes from its URL online and
// from the Go module of the same repository and tag offline.
type Upstream struct {
	URL    string `json:"url"`
	Module string `json:"module"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Build says how a nested module's binaries are made.
type Build struct {
	// Binaries maps a binary's name to its main package.
	Binaries map[string]string `json:"binaries"`
	// Tags are build tags, to leave out what no lab uses: "providerless".
	Tags []string `json:"tags,omitempty"`
	// LDFlags are passed to the linker, to stamp the true version in.
	LDFlags []string `json:"ldflags,omitempty"`
	// DiskMiB is the free disk that a cold build needs.
	DiskMiB int `json:"diskMiB"`
	// Copies are made for the build, where an upstream module does not build as
	// the module proxy serves it.
	Copies []Copy `json:"copies,omitempty"`
	// Generate is a package of the build module that is run in its folder, once the
	// copies are there, to write into them what upstream makes only at its own build:
	// "./generate". May be "".
	Generate string `json:"generate,omitempty"`
}

// Copy is a writable copy of an upstream module, for a replace line of the build
// module's go.mod to point to. It is made anew for each build, and never committed.
type Copy struct {
	// Module is path@version.
	Module string `json:"module"`
	// To is the copy's folder, relative to the build module's: "copies/apis".
	To string `json:"to"`
	// Add is a folder, also relative to the build module's, whose files are put on
	// top of the copy. A name loses the .txt of .go.txt, which keeps a file of
	// another module's package from being one of the build module's. May be "".
	Add string `json:"add,omitempty"`
}

// Process is a Deployment that the lab runs as a local process, with the
// container's own arguments. Nothing but what is declared here may differ from
// what a cluster would run.
type Process struct {
	// Deployment is namespace/name.
	Deployment string `json:"deployment"`
	Binary     string `json:"binary"`
	// KubeconfigFlag hands over the ServiceAccount's kubeconfig.
	KubeconfigFlag string `json:"kubeconfigFlag,omitempty"`
	// KubeconfigIn does so where a configuration file takes it, and no flag.
	KubeconfigIn *ConfigField `json:"kubeconfigIn,omitempty"`
	// KubeconfigEnv does so by an environment variable.
	KubeconfigEnv string `json:"kubeconfigEnv,omitempty"`
	// FixedMounts are mount paths that the program has built in, and that no flag or
	// environment moves.
	FixedMounts []string `json:"fixedMounts,omitempty"`
	// LeaderElectFlag turns leader election off: there is one replica.
	LeaderElectFlag string `json:"leaderElectFlag,omitempty"`
	// LeaderElectIn does so where a configuration file says it, and no flag.
	LeaderElectIn *ConfigField `json:"leaderElectIn,omitempty"`
	// Listen moves each port the process opens to a free one.
	Listen []Listen `json:"listen,omitempty"`
}

// ConfigField is a field of a mounted YAML file.
type ConfigField struct {
	// File is the mount path of the file in the container.
	File string `json:"file"`
	// Field is the dotted path of the field.
	Field string `json:"field"`
	// Value is what is written there, as YAML; a kubeconfig has none of its own.
	Value string `json:"value,omitempty"`
}

// Listen is a port the process opens.
type Listen struct {
	// Port is the container port, which Services refer to.
	Port int `json:"port"`
	// Flag moves it; {port} is replaced by a free port.
	Flag string `json:"flag,omitempty"`
	// In does so where a configuration file says it, and no flag: {port} in its value.
	In *ConfigField `json:"in,omitempty"`
	// Ready marks the port whose opening says that the process is ready.
	Ready bool `json:"ready,omitempty"`
}

// Component is a part of the lab itself: lab/<name>/<version>.
type Component struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Spec       ComponentSpec `json:"spec"`

	Name    string `json:"-"`
	Version string `json:"-"`
	Path    string `json:"-"`
}

// ComponentSpec says how the component is built, and run.
type ComponentSpec struct {
	Build Build `json:"build"`
	// Flags are what this version's programs need in a lab and others don't know, by
	// binary.
	Flags map[string][]string `json:"flags,omitempty"`
}

// Module is a nested Go module to build: a component's or a release's.
type Module struct {
	// Name is what people see, such as kubernetes@v1.34.4.
	Name string
	// Path is the folder of its go.mod within the catalog, slash-separated.
	Path string
	Build
}

// Module returns the component's build module.
func (c *Component) Module() Module {
	return Module{Name: c.Name + "@" + c.Version, Path: c.Path + "/build", Build: c.Spec.Build}
}
