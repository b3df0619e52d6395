package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
interrupted matrix goes on where it was. A release that can't be run keeps no other
from it, and is told of at the end.`,
		Example: `  gangctl-verify matrix
  gangctl-verify matrix --only volcano,kube-scheduler@v1.37.1 --again
  gangctl-verify matrix --only training-operator@v1.9.3
  gangctl-verify matrix --only "training-operator@v1.9.3/TFJob on volcano@v1.14.1"`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.matrix(c.Context(), o) },
	}
	f := c.Flags()
	onlyFlag(c, &o.only)
	f.BoolVar(&o.again, "again", false, "run also what has a row already")
	f.StringVarP(&o.out, "out", "o", "out/matrix", "the folder for the reports, one below it for each release")
	f.StringVar(&o.record, "record", "docs/matrix.yaml", "the file of the rows")
	return c
}

func (a *app) newPrefetch() *cobra.Command {
	var only []string
	c := &cobra.Command{
		Use:   "prefetch",
		Short: "Build every binary that the matrix needs, and run nothing",
		Long: `prefetch builds what is not in the cache yet: control planes, schedulers and
operators, from their pinned Go modules. After that, no run waits for a build.
What does not build keeps nothing else from it, and is told of at the end.`,
		Example: `  gangctl-verify prefetch
  gangctl-verify prefetch --only volcano,training-operator@v1.9.3`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			tr, err := setup.Load(a.root)
			if err != nil {
				return err
			}
			targets, err := tr.Targets(only)
			if err != nil {
				return err
			}
			var missing []error
			for i, x := range targets {
				fmt.Fprintf(a.Err, "[%d/%d] %s on Kubernetes %s\n", i+1, len(targets), x, x.Kubernetes)
				err := setup.Prefetch(c.Context(), tr, x, a.progress())
				if c.Context().Err() != nil {
					return err
				}
				if err != nil {
					missing = append(missing, fmt.Errorf("%s: %w", x, err))
				}
			}
			return errors.Join(missing...)
		},
	}
	onlyFlag(c, &only)
	return c
}

func onlyFlag(c *cobra.Command, only *[]string) {
	c.Flags().StringSliceVar(only, "only", nil, "only these backends, operators, with or without @version, or kinds: operator@version/Kind")
}

func (a *app) matrix(ctx context.Context, o *matrixOptions) error {
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	targets, err := tr.Targets(o.only)
	if err != nil {
		return err
	}
	rows, err := readRows(o.record)
	if err != nil {
		return err
	}
	worst := ExitPass
	var missing []error
	for i, t := range targets {
		of, err := tr.Digest(t)
		if err != nil {
			return err
		}
		if row := rows.Find(t.String()); row != nil && row.Of == of && !o.again {
			fmt.Fprintf(a.Err, "[%d/%d] %s: as recorded\n", i+1, len(targets), t)
			continue
		}
		fmt.Fprintf(a.Err, "[%d/%d] ", i+1, len(targets))
		run := &runOptions{
			Target: setup.Target{Backend: t.Release.String()}, profiles: tr.RowProfiles(t), provider: "lab",
			out: filepath.Join(o.out, folderOf(t)), controls: filepath.Join(o.out, "controls"),
		}
		if t.Pair != nil {
			run.Operator = t.Pair.String()
		}
		done, err := a.conduct(ctx, tr, run)
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			fmt.Fprintf(a.Err, "%s: %v\n", t, err)
			missing = append(missing, fmt.Errorf("%s: %w", t, err))
			continue
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
	if len(missing) > 0 {
		return broken(errors.Join(missing...))
	}
	return ended(worst)
}

// folderOf is a plain name for what was chosen.
func folderOf(c *setup.Chosen) string {
	return strings.NewReplacer("/", "-", " ", "-").Replace(c.String())
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
