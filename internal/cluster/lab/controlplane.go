package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/gangctl/gangctl/internal/timeline"
)

// controlPlane is etcd and kube-apiserver, as envtest runs them.
type controlPlane struct {
	env      *envtest.Environment
	admin    *rest.Config
	audit    string
	stopping atomic.Bool
}

// startTimeout bounds each component's start on a machine that is busy building.
const startTimeout = 90 * time.Second

func (l *Lab) startControlPlane() (err error) {
	dir := filepath.Join(l.opts.Dir, "control-plane")
	etcdDir, certDir := l.etcdDir(), filepath.Join(dir, "certs")
	for _, d := range []string{etcdDir, certDir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	policy := filepath.Join(dir, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	c := &controlPlane{audit: filepath.Join(dir, "audit.log")}
	never := false
	c.env = &envtest.Environment{
		// envtest would obey USE_EXISTING_CLUSTER: the lab is never somebody's cluster.
		UseExistingCluster:       &never,
		ControlPlaneStartTimeout: startTimeout, ControlPlaneStopTimeout: 20 * time.Second,
	}
	etcd := &envtest.Etcd{DataDir: etcdDir}
	c.env.ControlPlane.Etcd = etcd
	api := c.env.ControlPlane.GetAPIServer()
	if etcd.Path, err = l.opts.Folder.Link(l.group(), l.opts.Binaries["etcd"]); err != nil {
		return err
	}
	if api.Path, err = l.opts.Folder.Link(l.group(), l.opts.Binaries["kube-apiserver"]); err != nil {
		return err
	}
	api.CertDir = certDir
	// envtest's own default turns ServiceAccount admission off; a cluster has it on.
	args := api.Configure().Disable("disable-admission-plugins").
		Append("audit-policy-file", policy).
		Append("audit-log-path", c.audit).
		Append("egress-selector-config-file", l.egressConfig)
	for _, flag := range l.flags("kube-apiserver") {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		args.Append(name, value)
	}
	l.cp = c
	var logs []*watched
	for _, x := range []struct {
		name     string
		out, err *io.Writer
	}{{"etcd", &etcd.Out, &etcd.Err}, {"kube-apiserver", &api.Out, &api.Err}} {
		w, err := c.watch(l, x.name)
		if err != nil {
			return err
		}
		*x.out, *x.err = w.log, w.log
		logs = append(logs, w)
	}
	c.admin, err = c.env.Start()
	for _, w := range logs {
		w.log.Close()
	}
	// envtest makes certificates for webhooks, outside of our folder, asked or not.
	err = errors.Join(err, c.env.WebhookInstallOptions.Cleanup())
	if err != nil {
		// What they said last may be on its way yet.
		late, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		for _, w := range logs {
			select {
			case <-w.ended:
			case <-late.Done():
			}
		}
		return fmt.Errorf("start the control plane: %w\netcd: %s\nkube-apiserver: %s", err,
			lastLines(l.log("etcd"), 5), lastLines(l.log("kube-apiserver"), 8))
	}
	// Our own limits are no part of what is measured.
	c.admin.QPS, c.admin.Burst = -1, 0
	return nil
}

// etcdDir is where etcd keeps what it holds.
func (l *Lab) etcdDir() string { return filepath.Join(l.opts.Dir, "control-plane", "etcd") }

// flags are a component's further flags: of its version, and of the release.
func (l *Lab) flags(component string) []string {
	return slices.Concat(l.opts.Flags[component], l.opts.ControlPlane[component])
}

// watched is a component's log while it runs.
type watched struct {
	// log is our own end of a pipe: to be closed once the component has it, too.
	log *os.File
	// ended is closed when the component is gone, and all it said is in its log.
	ended chan struct{}
}

// lastWords is the most that the log of a component that did not start is waited for.
const lastWords = 5 * time.Second

// watch gives the component a pipe for its log. envtest doesn't say when a
// component dies, but the end of its pipe does.
func (c *controlPlane) watch(l *Lab, name string) (*watched, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	path := l.log(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer file.Close()
		defer r.Close()
		_, _ = io.Copy(bufio.NewWriterSize(file, 0), r)
		if !c.stopping.Load() {
			l.tell(timeline.Component{Name: name, State: timeline.Exited, Detail: "its last lines: " + lastLines(path, 5)})
		}
	}()
	return &watched{log: w, ended: ended}, nil
}

// user returns a kubeconfig file for a user of the API server.
func (c *controlPlane) user(dir, name string, groups ...string) (string, error) {
	u, err := c.env.AddUser(envtest.User{Name: name, Groups: groups}, nil)
	if err != nil {
		return "", err
	}
	data, err := u.KubeConfig()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, strings.ReplaceAll(name, ":", "-")+".kubeconfig")
	return path, os.WriteFile(path, data, 0o600)
}

// startComponents starts what a control plane has besides: the real controller
// manager and default scheduler, and KWOK for nodes and kubelets.
func (l *Lab) startComponents(ctx context.Context) error {
	dir := filepath.Join(l.opts.Dir, "control-plane")
	masters, err := l.cp.user(dir, "gangctl-lab", "system:masters")
	if err != nil {
		return err
	}
	scheduler, err := l.cp.user(dir, "system:kube-scheduler")
	if err != nil {
		return err
	}
	stages := filepath.Join(dir, "kwok.yaml")
	if err := os.WriteFile(stages, l.opts.Stages, 0o600); err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"kube-controller-manager", []string{
			"--kubeconfig=" + masters, "--leader-elect=false", "--secure-port=0",
			// KWOK's nodes renew no leases: writes that a case would only wait for.
			"--node-monitor-grace-period=24h", "--kube-api-qps=500", "--kube-api-burst=1000",
			// Nothing listens on a fake pod, but operators make a Service for each: endpoints of
			// them were a sixth of all requests.
			"--controllers=*,-endpoint,-endpointslice,-endpointslicemirroring,-ttl",
		}},
		{"kube-scheduler", []string{
			"--kubeconfig=" + scheduler, "--leader-elect=false", "--secure-port=0",
			"--kube-api-qps=2000", "--kube-api-burst=2000",
		}},
		{"kwok", []string{"--kubeconfig=" + masters, "--manage-all-nodes=true", "--config=" + stages, "--node-lease-duration-seconds=0"}},
	} {
		if b := l.opts.Bundle; b != nil && b.Replaces == c.name {
			continue
		}
		p, err := l.newProcess(c.name, l.opts.Binaries[c.name], append(c.args, l.flags(c.name)...))
		if err != nil {
			return err
		}
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	return nil
}
