// Package lab is the embedded cluster: the real etcd, kube-apiserver,
// kube-controller-manager and kube-scheduler, KWOK for nodes and kubelets, and a
// backend's real binaries, all as ordinary processes on 127.0.0.1.
package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/gangctl/gangctl/internal/access"
	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/cluster"
	"github.com/gangctl/gangctl/internal/runfolder"
	"github.com/gangctl/gangctl/internal/timeline"
)

var _ cluster.Cluster = &Lab{}

// Options say what a lab is made of.
type Options struct {
	// Folder is the run's; Dir is the lab's own, below it.
	Folder *runfolder.Folder
	Dir    string
	// Logs maps a component to its log file, which outlives the lab.
	Logs func(component string) string
	// Kubernetes is the version that the binaries must be of.
	Kubernetes string
	// Binaries maps names to paths.
	Binaries map[string]string
	// Stages is KWOK's configuration.
	Stages []byte
	// Flags are the Kubernetes version's own, by component.
	Flags map[string][]string
	// ControlPlane holds further flags, by component.
	ControlPlane map[string][]string
	// Images are shared by labs that come up one after the other; nil keeps none.
	Images *Images
	// Bundle is installed; nil makes a plain cluster.
	Bundle *Bundle
	// Others are bundles that can be synced in the Bundle's place, by scenario.Sync's names.
	Others map[string]*Bundle
	// Verifier are the roles that cases run under; without any, they run as an
	// administrator.
	Verifier []*unstructured.Unstructured
}

// Bundle is what a lab installs: a backend, an operator, or both.
type Bundle struct {
	// Name is for errors, such as volcano@v1.14.1.
	Name string
	// Objects are applied; CertManager holds the CRDs of the kinds that the lab serves
	// in cert-manager's place.
	Objects     []*unstructured.Unstructured
	CertManager []*unstructured.Unstructured
	// Processes are the Deployments that run, in start order.
	Processes []catalog.Process
	// Binaries are those of its processes; nil are the lab's.
	Binaries map[string]string
	// Gang is how a group is written down, to see when one is accepted; nil asks for none.
	Gang *catalog.Gang
	// Job is the kind of job that is to be accepted; nil asks for none.
	Job *catalog.Job
	// Scheduler is the component that "scheduler" means; "" is the cluster's own.
	Scheduler string
	// Replaces is the lab's component that is not started.
	Replaces string
}

// Lab is a running one.
type Lab struct {
	opts         Options
	egress       *egress
	egressConfig string
	cp           *controlPlane
	client       kubernetes.Interface
	verifier     *rest.Config    // nil is the administrator's
	life         context.Context // ends with the lab
	end          context.CancelFunc

	audited int64 // bytes of the audit log that earlier cases left
	told    int64 // bytes of it that Requests has told

	installed   *Bundle                // nil after an uninstall
	deployments map[string]*deployment // that run, by namespace/name
	services    map[string]string      // components behind Services, by namespace/name
	pairs       map[string]*keyPair    // that were issued, by namespace/secret

	mu        sync.Mutex
	processes []*process // as they were started
	watcher   func(timeline.Component)
	past      []timeline.Component
}

// Up starts a lab. Whatever goes wrong, nothing is left running.
func Up(ctx context.Context, o Options) (_ *Lab, err error) {
	l := &Lab{opts: o, deployments: map[string]*deployment{}, services: map[string]string{}}
	l.life, l.end = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Down())
		}
	}()
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}

	// 1. A way from the API server to the webhooks.
	if l.egress, l.egressConfig, err = newEgress(o.Dir); err != nil {
		return nil, err
	}
	// 2. etcd, with what earlier labs had it hold by now, and the API server.
	kinds, others := o.Bundle.split()
	key, err := l.imageKey(kinds)
	if err != nil {
		return nil, err
	}
	imaged, err := o.Images.restore(key, l.etcdDir())
	if err != nil {
		return nil, err
	}
	if err := l.startControlPlane(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.client, err = kubernetes.NewForConfig(l.cp.admin); err != nil {
		return nil, err
	}
	if err := l.checkVersion(); err != nil {
		return nil, err
	}
	// 3. The bundle's kinds. The garbage collector looks what there is when it starts, and
	// then every 30 s: what a job owned would stay that long.
	in, err := l.installer()
	if err != nil {
		return nil, err
	}
	if o.Bundle != nil {
		if err := in.Preflight(slices.Concat(kinds, others)); err != nil {
			return nil, fmt.Errorf("install %s on Kubernetes %s: %w", o.Bundle.Name, o.Kubernetes, err)
		}
	}
	if imaged {
		err = in.Served(ctx, kinds)
	} else {
		err = in.Apply(ctx, kinds)
	}
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", o.Bundle.Name, err)
	}
	if !imaged {
		if err := o.Images.keep(key, l.copyEtcd); err != nil {
			return nil, err
		}
	}
	// 4. Controllers, the default scheduler, nodes and kubelets.
	if err := l.startComponents(ctx); err != nil {
		return nil, err
	}
	// 5. The backend, and the operator.
	if o.Bundle != nil {
		if err := l.install(ctx, in, o.Bundle, others); err != nil {
			return nil, fmt.Errorf("install %s: %w", o.Bundle.Name, err)
		}
	}
	// 6. The cases' own access.
	if len(o.Verifier) > 0 {
		if err := l.admitVerifier(ctx); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// checkVersion tells binaries of another version, which --bin-dir or
// KUBEBUILDER_ASSETS may hold, from those that were asked for.
func (l *Lab) checkVersion() error {
	v, err := l.client.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	if v.GitVersion != l.opts.Kubernetes {
		return fmt.Errorf("%s is %s, and the lab was asked for %s: look at --bin-dir and KUBEBUILDER_ASSETS",
			l.opts.Binaries["kube-apiserver"], v.GitVersion, l.opts.Kubernetes)
	}
	return nil
}

// Config reaches the API server as the verifier does.
func (l *Lab) Config() *rest.Config {
	if l.verifier != nil {
		return rest.CopyConfig(l.verifier)
	}
	return l.Admin()
}

// Admin reaches the API server as an administrator.
func (l *Lab) Admin() *rest.Config { return rest.CopyConfig(l.cp.admin) }

// Kubeconfig is an administrator's kubeconfig, as a file's content.
func (l *Lab) Kubeconfig() []byte { return l.cp.env.KubeConfig }

// Watch reports every component's changes, those before it included.
func (l *Lab) Watch(tell func(timeline.Component)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.past {
		tell(c)
	}
	l.watcher = tell
}

func (l *Lab) tell(c timeline.Component) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.past = append(l.past, c)
	if l.watcher != nil {
		l.watcher(c)
	}
}

// Renew starts every component but etcd and the API server again, so that nothing is left
// in their memory of the cases before.
func (l *Lab) Renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	l.mu.Lock()
	l.watcher = nil
	l.mu.Unlock()
	for _, p := range slices.Backward(l.processes) {
		p.stop()
	}
	if err := l.endLeases(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	l.past = nil
	l.mu.Unlock()
	for _, p := range l.processes {
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	if l.opts.Bundle == nil {
		return nil
	}
	return l.awaitAccepted(ctx, l.opts.Bundle)
}

// Sleep stops all of the lab's processes where they are, until Wake: a lab that nobody needs
// takes some of a core all the same.
func (l *Lab) Sleep() error { return l.opts.Folder.Halt(l.group()) }

// Wake lets the lab go on.
func (l *Lab) Wake() error { return l.opts.Folder.Resume(l.group()) }

// Requests lists what service accounts asked for since the lab was last emptied.
func (l *Lab) Requests() (all []access.Request, err error) {
	all, l.told, err = requests(l.cp.audit, l.audited)
	return all, err
}

// Down ends the lab's processes and removes its folder.
func (l *Lab) Down() error {
	l.end()
	l.mu.Lock()
	all := slices.Clone(l.processes)
	l.mu.Unlock()
	for _, p := range all {
		p.stop()
	}
	if l.cp != nil {
		l.cp.stopping.Store(true)
	}
	// An orderly end of the API server takes a second, and nobody needs it.
	err := l.opts.Folder.Kill(l.group())
	if l.cp != nil {
		// envtest may not have noticed yet that what it is to stop is gone.
		if stopErr := l.cp.env.Stop(); !errors.Is(stopErr, syscall.ESRCH) {
			err = errors.Join(err, stopErr)
		}
	}
	if l.egress != nil {
		l.egress.close()
	}
	return errors.Join(err, os.RemoveAll(l.opts.Dir))
}

// group tells this lab's processes from another's.
func (l *Lab) group() string { return filepath.Base(l.opts.Dir) }

// newProcess prepares a component to run a program.
func (l *Lab) newProcess(name, program string, args []string) (*process, error) {
	if program == "" {
		return nil, fmt.Errorf("lab: there is no binary %s", name)
	}
	path, err := l.opts.Folder.Link(l.group(), program)
	if err != nil {
		return nil, err
	}
	p := &process{
		name: name, path: path, args: args, tell: l.tell, log: l.log(name),
		dir: filepath.Join(l.opts.Dir, "processes", name),
		// A component must not find our user's kubeconfig, or an in-cluster one.
		env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.opts.Dir, "TMPDIR=" + l.opts.Dir},
	}
	// As etcd and the API server have it from us.
	if procs, ok := os.LookupEnv("GOMAXPROCS"); ok {
		p.env = append(p.env, "GOMAXPROCS="+procs)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.processes = append(l.processes, p)
	return p, nil
}

// program is the path of a bundle's binary.
func (l *Lab) program(b *Bundle, binary string) string {
	if b.Binaries != nil {
		return b.Binaries[binary]
	}
	return l.opts.Binaries[binary]
}

func (l *Lab) log(component string) string { return l.opts.Logs(component) }
