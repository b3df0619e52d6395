package conformance_test

import (
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/install"
)

// The lab is what the cases stand on: it must be as a cluster is.
var _ = Describe("the lab", Ordered, func() {
	var l *lab.Lab
	var client dynamic.Interface

	BeforeAll(func(ctx SpecContext) {
		var err error
		l, err = lab.Up(ctx, ready.Lab(func(component string) string {
			return filepath.Join(ready.Out, "lab-spec", component+".log")
		}))
		Expect(err).NotTo(HaveOccurred())
		client, err = dynamic.NewForConfig(l.Admin())
		Expect(err).NotTo(HaveOccurred())
	})
	AfterAll(func() {
		if l != nil {
			Expect(l.Down()).To(Succeed())
		}
	})

	It("takes the same bundle twice, and nothing changes", func(ctx SpecContext) {
		d, err := discovery.NewDiscoveryClientForConfig(l.Admin())
		Expect(err).NotTo(HaveOccurred())
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))
		generations := func() map[string]int64 {
			found := map[string]int64{}
			for _, o := range ready.Objects {
				m, err := mapper.RESTMapping(o.GroupVersionKind().GroupKind(), o.GroupVersionKind().Version)
				Expect(err).NotTo(HaveOccurred())
				live, err := client.Resource(m.Resource).Namespace(o.GetNamespace()).Get(ctx, o.GetName(), metav1.GetOptions{})
				Expect(err).NotTo(HaveOccurred())
				found[o.GetKind()+"/"+o.GetName()] = live.GetGeneration()
			}
			return found
		}
		before := generations()
		in, err := install.New(l.Admin(), mapper)
		Expect(err).NotTo(HaveOccurred())
		Expect(in.Apply(ctx, ready.Objects)).To(Succeed())
		Expect(generations()).To(Equal(before))
	})

	It("has Volcano's own admission answer, with its certificate verified", func(ctx SpecContext) {
		if ready.Release.Backend.Metadata.Name != "volcano" {
			Skip("the backend has no admission webhooks")
		}
		jobs := schema.GroupVersionResource{Group: "batch.volcano.sh", Version: "v1alpha1", Resource: "jobs"}
		task := map[string]any{
			"name": "worker", "replicas": int64(3),
			"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "registry.k8s.io/pause:3.10"}}}},
		}
		job := func(name string, minAvailable int64) *unstructured.Unstructured {
			return &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": map[string]any{"name": name},
				"spec": map[string]any{"minAvailable": minAvailable, "schedulerName": "volcano", "tasks": []any{task}},
			}}
		}
		_, err := client.Resource(jobs).Namespace("default").Create(ctx, job("too-many", 9), metav1.CreateOptions{})
		Expect(err).To(MatchError(And(ContainSubstring("validatejob.volcano.sh"), ContainSubstring("minAvailable"))))
		_, err = client.Resource(jobs).Namespace("default").Create(ctx, job("just-right", 3), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
	})
})
