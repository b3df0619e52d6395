package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/render"
	"github.com/gangctl/gangctl/internal/runfolder"
	"github.com/gangctl/gangctl/internal/source"
)

func TestMain(m *testing.M) { runfolder.ReapIfAsked(); os.Exit(m.Run()) }

func TestDev(t *testing.T) {
	tree := os.DirFS("../../..")
	c, err := catalog.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	r, _ := c.Release("volcano")
	t0 := time.Now()
	out, err := render.Render(context.Background(), tree, r, source.Resolver{})
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/render.yaml", out.YAML, 0o644)
	fmt.Println("render", time.Since(t0))
	cm, err := os.ReadFile("../../../lab/cert-manager.yaml")
	crds, err := render.Objects(cm)
	if err != nil {
		t.Fatal(err)
	}
	stages, _ := os.ReadFile("../../../lab/stages.yaml")
	f, err := runfolder.New()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	bins := map[string]string{}
	files, _ := filepath.Glob("/root/devbin/flat134/*")
	for _, b := range files {
		bins[filepath.Base(b)] = b
	}
	t0 = time.Now()
	l, err := Up(context.Background(), Options{Folder: f, Dir: f.Path + "/lab", Logs: func(c string) string { return "/tmp/lablogs/" + c + ".log" }, Binaries: bins, Stages: stages, Release: r, Objects: out.Objects, CertManager: crds})
	fmt.Println("up", time.Since(t0))
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/kc", l.Kubeconfig(), 0o600)
	if d := os.Getenv("HOLD"); d != "" {
		x, _ := time.ParseDuration(d)
		time.Sleep(x)
	}
	den, _ := l.Denied()
	fmt.Printf("%+v\n", den)
	t0 = time.Now()
	fmt.Println(l.Down(), time.Since(t0))
}
