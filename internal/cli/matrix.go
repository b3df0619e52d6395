package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/suite"
)

// matrixOut is where matrix puts its reports.
const matrixOut = "out/matrix"

// matrixOptions are the flags of matrix.
type matrixOptions struct {
	only   []string
	again  bool
	beside int
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
from it, and is told of at the end. Several releases run side by side, so that what
throughput-smoke measures is worth little here.`,
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
	f.IntVar(&o.beside, "beside", min(6*runtime.NumCPU(), mostBeside), "how many releases run side by side, each in a lab of its own")
	f.StringVarP(&o.out, "out", "o", matrixOut, "the folder for the reports, one below it for each release")
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
			begin := func(i int, t *setup.Chosen) {
				fmt.Fprintf(a.Err, "[%d/%d] %s on Kubernetes %s\n", i+1, len(targets), t, t.Kubernetes)
			}
			var missing []error
			err = setup.Prefetch(c.Context(), tr, targets, a.progress(), begin, func(_ *setup.Chosen, err error) {
				missing = append(missing, err)
			})
			return errors.Join(append(missing, err)...)
		},
	}
	onlyFlag(c, &only)
	return c
}

func onlyFlag(c *cobra.Command, only *[]string) {
	c.Flags().StringSliceVar(only, "only", nil, "only these backends, operators, with or without @version, or kinds: operator@version/Kind")
}

func (a *app) matrix(ctx context.Context, o *matrixOptions) (err error) {
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	if o.beside < 1 {
		return fmt.Errorf("--beside %d must be at least 1", o.beside)
	}
	targets, err := tr.Targets(o.only)
	if err != nil {
		return err
	}
	rows, err := readRows(o.record)
	if err != nil {
		return err
	}
	// 1. What is to be run, with its binaries: one build at a time.
	var todo []row
	for i, t := range targets {
		r := row{Chosen: t, place: fmt.Sprintf("[%d/%d] ", i+1, len(targets))}
		if r.of, err = tr.Digest(t); err != nil {
			return err
		}
		if known := rows.Find(t.String()); known != nil {
			if known.Of == r.of && !o.again {
				fmt.Fprintf(a.Err, "%s%s: as recorded\n", r.place, t)
				continue
			}
			r.suspects = slices.Concat(known.Failed, known.NotClaimed, known.Inconclusive)
		}
		todo = append(todo, r)
	}
	var missing []error
	if todo, err = a.build(ctx, tr, todo, &missing); err != nil {
		return err
	}
	// 2. The rows, many side by side with a lab each. A case mostly waits, and a lab costs
	// more to start than most cases do: those of one row are taken over by the next.
	queue := &rowQueue{rows: inOrder(todo), running: map[string]int{}}
	inLab := 1
	if o.beside == 1 || len(todo) == 1 {
		inLab = 0
	}
	labs, err := suite.NewLabs(o.beside)
	if err != nil {
		return broken(err)
	}
	defer func() {
		err = errors.Join(err, broken(labs.Close()))
	}()
	if _, set := os.LookupEnv("GOMAXPROCS"); !set && o.beside > runtime.NumCPU() {
		// What the labs start takes it over. With more processes than cores that have work,
		// none gains from threads of its own, and their idle ones cost.
		if err := os.Setenv("GOMAXPROCS", "1"); err != nil {
			return broken(err)
		}
	}
	worst := ExitPass
	var mu sync.Mutex
	one := func(r row) error {
		out := &lines{out: a.Err, mu: &mu, prefix: r.place}
		done, err := (&app{Streams: Streams{In: a.In, Out: a.Out, Err: out}, root: a.root}).conduct(ctx, tr, o.run(tr, r, inLab, labs))
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			fmt.Fprintf(a.Err, "%s%s: %v\n", r.place, r, err)
			missing = append(missing, fmt.Errorf("%s: %w", r, err))
			return nil
		}
		worst = worse(worst, done.ExitCode())
		rows = rows.With(done.Row(r.of))
		return broken(writeRows(o.record, rows))
	}
	var work errgroup.Group
	for range o.beside {
		work.Go(func() error {
			last := ""
			for {
				r, ok := queue.take(last)
				if !ok || ctx.Err() != nil {
					return ctx.Err()
				}
				last = r.lab()
				if err := one(r); err != nil {
					return err
				}
			}
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for _, t := range targets {
		fmt.Fprintf(a.Out, "%-28s %s\n", t, rows.Find(t.String()).Outcome())
	}
	if len(missing) > 0 {
		return broken(errors.Join(missing...))
	}
	return ended(worst)
}

// build makes the rows' binaries, and returns the rows that have theirs.
func (a *app) build(ctx context.Context, tr *setup.Tree, rows []row, missing *[]error) ([]row, error) {
	var targets []*setup.Chosen
	for _, r := range rows {
		targets = append(targets, r.Chosen)
	}
	quietly := func(int, *setup.Chosen) {}
	err := setup.Prefetch(ctx, tr, targets, a.progress(), quietly, func(t *setup.Chosen, err error) {
		*missing = append(*missing, err)
		rows = slices.DeleteFunc(rows, func(r row) bool { return r.Chosen == t })
	})
	return rows, err
}

// row is a release that is to be run, with the digest of its data and what did not pass
// when it last ran.
type row struct {
	*setup.Chosen
	of, place string
	suspects  []string
}

// lab stands for the lab that the row is run in.
func (r row) lab() string {
	if r.Pair == nil {
		return r.Release.String()
	}
	return r.Pair.Operator.String() + " on " + r.Release.String()
}

// rowQueue are the rows that nobody has begun.
type rowQueue struct {
	mu      sync.Mutex
	rows    []row
	running map[string]int // rows, by their lab
}

// take is the next row for one whose lab just had a row: another for the same, or else one
// of those of which the most are left for each that runs.
func (q *rowQueue) take(last string) (row, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if last != "" {
		q.running[last]--
	}
	if len(q.rows) == 0 {
		return row{}, false
	}
	left := map[string]int{}
	for _, r := range q.rows {
		left[r.lab()]++
	}
	best := slices.IndexFunc(q.rows, func(r row) bool { return r.lab() == last })
	if best < 0 {
		load := func(r row) float64 { return float64(left[r.lab()]) / float64(q.running[r.lab()]+1) }
		best = 0
		for i, r := range q.rows {
			if load(r) > load(q.rows[best]) {
				best = i
			}
		}
	}
	r := q.rows[best]
	q.rows = slices.Delete(q.rows, best, best+1)
	q.running[r.lab()]++
	return r, true
}

// inOrder puts first, of those that have their safety controls in common, the one that
// records them for the others. Then come those that take long: with many cases that fail,
// which are waited for, and operators before backends.
func inOrder(rows []row) []row {
	seen, after := map[string]int{}, map[*setup.Chosen]int{}
	for _, r := range rows {
		controls := r.Kubernetes
		if r.Pair != nil {
			controls += " " + r.Pair.String()
		}
		after[r.Chosen] = seen[controls]
		seen[controls]++
	}
	backend := func(r row) int {
		if r.Pair == nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(after[a.Chosen]-after[b.Chosen], len(b.suspects)-len(a.suspects), backend(a)-backend(b))
	})
	return rows
}

// mostBeside keeps the rows of a machine with many cores within its memory: a lab has
// less than 1 GB.
const mostBeside = 16

// run is what is run for a row, in so many labs at a time; 0 chooses.
func (o *matrixOptions) run(tr *setup.Tree, r row, parallel int, labs *suite.Labs) *runOptions {
	run := &runOptions{
		Target: setup.Target{Backend: r.Release.String()}, profiles: tr.RowProfiles(r.Chosen), provider: "lab", parallel: parallel, labs: labs,
		out: filepath.Join(o.out, folderOf(r.Chosen)), controls: filepath.Join(o.out, "controls"),
		suspects: r.suspects,
	}
	if r.Pair != nil {
		run.Operator = r.Pair.String()
	}
	return run
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
