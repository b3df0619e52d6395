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
		Short: "Run all cases on every release, and record what each showed",
		Long: `matrix runs every release of the catalog and writes a row for each into a file,
as it ends. A release whose bundle, cases and lab are those of its row is not run
again, so an interrupted matrix goes on where it was.`,
		Example: `  gangctl-verify matrix
  gangctl-verify matrix --only volcano,kube-scheduler@v1.37.1 --again`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.matrix(c.Context(), o) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.only, "only", nil, "only these backends or releases")
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
	releases, err := pick(tr.Catalog, o.only)
	if err != nil {
		return err
	}
	rows, err := readRows(o.record)
	if err != nil {
		return err
	}
	worst := ExitPass
	for i, r := range releases {
		of, err := digest(tr, r)
		if err != nil {
			return err
		}
		if row := rows.Find(r.String()); row != nil && row.Of == of && !o.again {
			fmt.Fprintf(a.Err, "[%d/%d] %s: as recorded\n", i+1, len(releases), r)
			continue
		}
		fmt.Fprintf(a.Err, "[%d/%d] ", i+1, len(releases))
		done, err := a.conduct(ctx, tr, &runOptions{
			Target: setup.Target{Backend: r.String()}, profiles: allProfiles(tr), provider: "lab",
			out: filepath.Join(o.out, r.String()), patience: 1,
		})
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
	for _, r := range releases {
		fmt.Fprintf(a.Out, "%-28s %s\n", r, rows.Find(r.String()).Outcome())
	}
	return ended(worst)
}

// pick lists the releases that are asked for; all without names.
func pick(c *catalog.Catalog, only []string) ([]*catalog.Release, error) {
	var all []*catalog.Release
	for _, b := range c.Backends {
		all = append(all, b.Releases...)
	}
	if len(only) == 0 {
		return all, nil
	}
	var some []*catalog.Release
	for _, name := range only {
		r, err := c.Release(name)
		if err != nil {
			return nil, err
		}
		if strings.Contains(name, "@") {
			some = append(some, r)
		} else {
			some = append(some, r.Backend.Releases...)
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

// digest is over the data that a release's run depends on.
func digest(t *setup.Tree, r *catalog.Release) (string, error) {
	sum := sha256.New()
	for _, root := range []string{
		path.Join(path.Dir(r.Path), "backend.yaml"), r.Path, "conformance/cases", "lab/stages.yaml",
		"lab/kubernetes/" + r.Spec.Kubernetes.Lab,
	} {
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
