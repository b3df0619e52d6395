package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/setup"
)

// matrixOptions are the flags of matrix.
type matrixOptions struct {
	only   []string
	again  bool
	out    string
	record string
}

func (a *app) newMatrix() *cobra.Command {
	o := &matrixOptions{}
	c := &cobra.Command{
		Use:   "matrix",
		Short: "Run the cases on every release, and record what each showed",
		Long: `matrix runs every backend release of the catalog, and every operator on the
backends that it has overlays for, and writes a row for each into a file, as it
ends. What has a row for the same bundle, cases and lab is not run again, so an
interrupted matrix goes on where it was.`,
		Example: `  gangctl-verify matrix
  gangctl-verify matrix --only volcano,kube-scheduler@v1.37.1 --again
  gangctl-verify matrix --only training-operator@v1.9.3`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.matrix(c.Context(), o) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.only, "only", nil, "only these backends or operators, with or without @version")
	f.BoolVar(&o.again, "again", false, "run also what has a row already")
	f.StringVarP(&o.out, "out", "o", "out/matrix", "the folder for the reports, one below it for each release")
	f.StringVar(&o.record, "record", "docs/matrix.yaml", "the file of the rows")
	return c
}

func (a *app) matrix(ctx context.Context, o *matrixOptions) error {
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	targets, err := pick(tr, o.only)
	if err != nil {
		return err
	}
	rows, err := readRows(o.record)
	if err != nil {
		return err
	}
	worst := ExitPass
	for i, t := range targets {
		of, err := digest(tr, t)
		if err != nil {
			return err
		}
		if row := rows.Find(t.String()); row != nil && row.Of == of && !o.again {
			fmt.Fprintf(a.Err, "[%d/%d] %s: as recorded\n", i+1, len(targets), t)
			continue
		}
		fmt.Fprintf(a.Err, "[%d/%d] ", i+1, len(targets))
		run := &runOptions{
			Target: setup.Target{Backend: t.Release.String()}, profiles: allProfiles(tr), provider: "lab",
			out: filepath.Join(o.out, folderOf(t)), patience: 1,
		}
		if t.Pair != nil {
			run.Operator, run.profiles = t.Pair.String(), []string{coreProfile}
		}
		done, err := a.conduct(ctx, tr, run)
		if err != nil {
			return err
		}
		if code := done.ExitCode(); code != ExitPass && worst != ExitFail {
			worst = code
		}
		rows = rows.With(done.Row(of))
		if err := writeRows(o.record, rows); err != nil {
			return broken(err)
		}
	}
	for _, t := range targets {
		fmt.Fprintf(a.Out, "%-28s %s\n", t, rows.Find(t.String()).Outcome())
	}
	return ended(worst)
}

// coreProfile is what an operator on a backend is run with: it is the backend's
// scheduler that the other profiles are about.
const coreProfile = "core"

// folderOf is a plain name for what was chosen.
func folderOf(c *setup.Chosen) string {
	return strings.NewReplacer("/", "-", " ", "-").Replace(c.String())
}

// pick lists what is asked for, by backend or operator, with or without a version;
// all without names.
func pick(tr *setup.Tree, only []string) ([]*setup.Chosen, error) {
	var all []*setup.Chosen
	for _, b := range tr.Catalog.Backends {
		for _, r := range b.Releases {
			all = append(all, &setup.Chosen{Release: r, Kubernetes: r.Spec.Kubernetes.Lab})
		}
	}
	pairs, err := tr.Catalog.Pairs()
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		all = append(all, &setup.Chosen{Release: p.Backend, Pair: p, Kubernetes: p.Kubernetes})
	}
	if len(only) == 0 {
		return all, nil
	}
	var some []*setup.Chosen
	for _, name := range only {
		var have []string
		before := len(some)
		for _, c := range all {
			full := c.Release.String()
			if c.Pair != nil {
				full = c.Pair.Operator.String()
			}
			short, _, _ := strings.Cut(full, "@")
			have = append(have, short, full)
			if name == full || name == short || name == c.String() {
				some = append(some, c)
			}
		}
		if len(some) == before {
			return nil, catalog.Unknown("backend or operator", name, have)
		}
	}
	return some, nil
}

func allProfiles(t *setup.Tree) []string {
	var all []string
	for _, p := range t.Profiles {
		all = append(all, p.Name)
	}
	return all
}

// digest is over the data that a run depends on.
func digest(t *setup.Tree, c *setup.Chosen) (string, error) {
	r := c.Release
	roots := []string{
		path.Join(path.Dir(r.Path), "backend.yaml"), r.Path, "conformance/cases", "lab/stages.yaml",
		"lab/kubernetes/" + c.Kubernetes,
	}
	if c.Pair != nil {
		o := c.Pair.Operator
		roots = append(roots, path.Join(path.Dir(o.Path), "operator.yaml"), o.Path)
	}
	sum := sha256.New()
	for _, root := range roots {
		err := fs.WalkDir(t, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(t, name)
			fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}

func readRows(file string) (report.Matrix, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return report.ReadMatrix(file, data)
}

func writeRows(file string, rows report.Matrix) error {
	data, err := rows.YAML()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	head := "# What each release showed when it last ran in the lab. make conformance-matrix writes this.\n"
	part := file + ".part"
	if err := os.WriteFile(part, slices.Concat([]byte(head), data), 0o644); err != nil {
		return err
	}
	return os.Rename(part, file)
}
