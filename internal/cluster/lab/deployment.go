package lab

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gangctl/gangctl/internal/catalog"
)

// deployment is one that runs as a local process.
type deployment struct {
	process  *process
	template corev1.PodTemplateSpec
	mounts   *mounts
}

// runDeployment runs a Deployment as a local process: the container's own
// arguments and environment, its ConfigMaps and Secrets as files, a kubeconfig
// with a token of its own ServiceAccount. A missing RBAC rule, a mistyped flag or
// a broken ConfigMap fails here as it would on a cluster.
func (l *Lab) runDeployment(ctx context.Context, b *Bundle, want catalog.Process) error {
	namespace, name, _ := strings.Cut(want.Deployment, "/")
	d, err := l.get(ctx, want.Deployment)
	if err != nil {
		return err
	}
	spec := d.Spec.Template.Spec
	if len(spec.Containers) != 1 {
		return fmt.Errorf("it has %d containers, the lab runs one", len(spec.Containers))
	}
	c := spec.Containers[0]
	if err := runnable(spec, c); err != nil {
		return err
	}
	dir := filepath.Join(l.opts.Dir, "pods", namespace, name)
	root := filepath.Join(dir, "root")
	mounts, err := l.writeVolumes(ctx, d, c, root)
	if err != nil {
		return err
	}
	var args []string
	if len(c.Command) > 1 {
		args = slices.Clone(c.Command[1:])
	}
	args = append(args, c.Args...)
	for i := range args {
		args[i] = mounts.Replace(args[i])
	}
	kubeconfig, err := l.serviceAccount(ctx, namespace, serviceAccountOf(spec), dir)
	if err != nil {
		return err
	}
	env := []string{"TMPDIR=" + tmpOf(root)}
	switch in := want.KubeconfigIn; {
	case in != nil:
		if err := mounts.setField(in, kubeconfig); err != nil {
			return err
		}
	case want.KubeconfigEnv != "":
		env = append(env, want.KubeconfigEnv+"="+kubeconfig)
	default:
		args = setFlag(args, want.KubeconfigFlag+"="+kubeconfig)
	}
	if want.LeaderElectFlag != "" {
		args = setFlag(args, want.LeaderElectFlag)
	}
	if in := want.LeaderElectIn; in != nil {
		if err := mounts.setField(in, in.Value); err != nil {
			return err
		}
	}
	program := l.program(b, want.Binary)
	p, err := l.newProcess(want.Binary, program, nil)
	if err != nil {
		return err
	}
	if len(want.FixedMounts) > 0 {
		moved, err := relocate(program, want.FixedMounts, root, p.dir)
		if err != nil {
			return err
		}
		if p.path, err = l.opts.Folder.Link(l.group(), moved); err != nil {
			return err
		}
	}
	ports := map[int]int{}
	for _, listen := range want.Listen {
		if ports[listen.Port], err = freePort(); err != nil {
			return err
		}
		with := strings.NewReplacer("{port}", fmt.Sprint(ports[listen.Port]))
		if in := listen.In; in == nil {
			args = setFlag(args, with.Replace(listen.Flag))
		} else if err := mounts.setField(in, with.Replace(in.Value)); err != nil {
			return err
		}
		if listen.Ready {
			p.ready = ports[listen.Port]
		}
	}
	p.args, p.env = args, append(p.env, env...)
	for _, e := range c.Env {
		value := mounts.Replace(e.Value)
		if e.ValueFrom != nil {
			if value, err = downward(d, e); err != nil {
				return err
			}
		}
		p.env = append(p.env, e.Name+"="+value)
	}
	if err := l.routeServices(ctx, d, want.Binary, ports); err != nil {
		return err
	}
	l.deployments[want.Deployment] = &deployment{process: p, template: d.Spec.Template, mounts: mounts}
	return p.start(ctx)
}

func serviceAccountOf(s corev1.PodSpec) string {
	switch {
	case s.ServiceAccountName != "":
		return s.ServiceAccountName
	case s.DeprecatedServiceAccount != "":
		return s.DeprecatedServiceAccount
	}
	return "default"
}

// setFlag replaces a --name=value flag, or adds it.
func setFlag(args []string, flag string) []string {
	name, _, _ := strings.Cut(flag, "=")
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, name+"="):
			args[i] = flag
			return args
		case a == name:
			args[i] = flag
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				args = slices.Delete(args, i+1, i+2)
			}
			return args
		}
	}
	return append(args, flag)
}

// runnable refuses what the lab would otherwise leave out in silence.
func runnable(s corev1.PodSpec, c corev1.Container) error {
	if len(s.InitContainers) > 0 || len(c.EnvFrom) > 0 {
		return fmt.Errorf("the lab runs no init containers, and knows no envFrom")
	}
	for _, a := range slices.Concat(c.Command, c.Args) {
		if strings.Contains(a, "$(") {
			return fmt.Errorf("argument %q: the lab expands no variables", a)
		}
	}
	for _, m := range c.VolumeMounts {
		if m.SubPath != "" || m.SubPathExpr != "" {
			return fmt.Errorf("volumeMount %s: the lab knows no subPath", m.Name)
		}
	}
	for _, v := range s.Volumes {
		if v.ConfigMap != nil && len(v.ConfigMap.Items) > 0 || v.Secret != nil && len(v.Secret.Items) > 0 {
			return fmt.Errorf("volume %s: the lab knows no items", v.Name)
		}
	}
	return nil
}

// downward resolves the fields of the pod that a process can be told of.
func downward(d *appsv1.Deployment, e corev1.EnvVar) (string, error) {
	if f := e.ValueFrom.FieldRef; f != nil {
		switch f.FieldPath {
		case "metadata.namespace":
			return d.Namespace, nil
		case "metadata.name":
			return d.Name + "-0", nil
		case "status.podIP", "status.hostIP":
			return "127.0.0.1", nil
		}
	}
	return "", fmt.Errorf("env %s: the lab can't take its value from there", e.Name)
}

// token is one of the ServiceAccount's, good for longer than a case.
func (l *Lab) token(ctx context.Context, namespace, name string) (string, error) {
	day := int64(24 * 60 * 60)
	t, err := l.client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name,
		&authv1.TokenRequest{Spec: authv1.TokenRequestSpec{ExpirationSeconds: &day}}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("token of ServiceAccount %s/%s: %w", namespace, name, err)
	}
	return t.Status.Token, nil
}

// serviceAccount writes a kubeconfig with a token of the ServiceAccount.
func (l *Lab) serviceAccount(ctx context.Context, namespace, name, dir string) (string, error) {
	token, err := l.token(ctx, namespace, name)
	if err != nil {
		return "", err
	}
	const lab = "lab"
	config := clientcmdapi.NewConfig()
	config.Clusters[lab] = &clientcmdapi.Cluster{Server: l.cp.admin.Host, CertificateAuthorityData: l.cp.admin.CAData}
	config.AuthInfos[lab] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[lab] = &clientcmdapi.Context{Cluster: lab, AuthInfo: lab}
	config.CurrentContext = lab
	path := filepath.Join(dir, "kubeconfig")
	return path, clientcmd.WriteToFile(*config, path)
}

// routeServices sends the API server's calls to the Deployment's Services to the
// component's ports.
func (l *Lab) routeServices(ctx context.Context, d *appsv1.Deployment, component string, ports map[int]int) error {
	services, err := l.client.CoreV1().Services(d.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range services.Items {
		if len(s.Spec.Selector) == 0 || !labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(d.Spec.Template.Labels)) {
			continue
		}
		l.services[s.Namespace+"/"+s.Name] = component
		for _, port := range s.Spec.Ports {
			target := port.TargetPort.IntValue()
			for _, c := range d.Spec.Template.Spec.Containers[0].Ports {
				if c.Name == port.TargetPort.StrVal && c.Name != "" {
					target = int(c.ContainerPort)
				}
			}
			if local, ok := ports[target]; ok {
				l.egress.route(s.Spec.ClusterIP, int(port.Port), local)
			}
		}
	}
	return nil
}

var managed = map[string]string{"app.kubernetes.io/managed-by": "gangctl"}
