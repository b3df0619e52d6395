package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/strict"
	"github.com/gangctl/gangctl/internal/suite"
	"github.com/gangctl/gangctl/internal/toolchain"
	"github.com/gangctl/gangctl/internal/verdict"
)

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// listing is what list prints.
type listing struct {
	Backends  []listedBackend  `json:"backends"`
	Operators []listedOperator `json:"operators"`
	Cases     []listedCase     `json:"cases"`
}

type listedBackend struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Version    string   `json:"version"`
	Kubernetes string   `json:"kubernetes"`
	Lab        string   `json:"lab"`
	Claims     []string `json:"claims,omitempty"`
}

type listedOperator struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Version  string   `json:"version"`
	Kinds    []string `json:"kinds"`
	Backends []string `json:"backends"`
}

type listedCase struct {
	Name        string `json:"name"`
	Profile     string `json:"profile"`
	Feature     string `json:"feature"`
	Description string `json:"description"`
}

func (a *app) newList() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the backends and operators that can be installed, and the cases that can be run",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := checkOutput(output, "text", "json"); err != nil {
				return err
			}
			t, err := setup.Load(a.root)
			if err != nil {
				return err
			}
			var l listing
			for _, b := range t.Catalog.Backends {
				for _, r := range b.Releases {
					l.Backends = append(l.Backends, listedBackend{b.Metadata.Name, b.Spec.Title, r.Version, r.Spec.Kubernetes.Range, r.Spec.Kubernetes.Lab, b.Spec.Claims})
				}
			}
			for _, o := range t.Catalog.Operators {
				for _, r := range o.Releases {
					l.Operators = append(l.Operators, listedOperator{o.Metadata.Name, o.Spec.Title, r.Version, r.Kinds(), r.BackendNames()})
				}
			}
			for _, s := range t.Cases {
				l.Cases = append(l.Cases, listedCase{s.Metadata.Name, s.Spec.Profile, s.Spec.Feature, s.Spec.Description})
			}
			if output == "json" {
				return printJSON(a.Out, l)
			}
			w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "BACKEND\tKUBERNETES\tLAB")
			for _, b := range l.Backends {
				fmt.Fprintf(w, "%s@%s\t%s\t%s\n", b.Name, b.Version, b.Kubernetes, b.Lab)
			}
			if len(l.Operators) > 0 {
				fmt.Fprintln(w, "\nOPERATOR\tJOBS\tBACKENDS")
			}
			for _, o := range l.Operators {
				fmt.Fprintf(w, "%s@%s\t%s\t%s\n", o.Name, o.Version, strings.Join(o.Kinds, " "), strings.Join(o.Backends, " "))
			}
			fmt.Fprintln(w, "\nCASE\tPROFILE\tDESCRIPTION")
			for _, s := range l.Cases {
				fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.Profile, s.Description)
			}
			return w.Flush()
		},
	}
	c.Flags().StringVar(&output, "output", "text", "text or json")
	return c
}

func (a *app) newJudge() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "judge timeline.jsonl",
		Short: "Judge a recorded timeline again",
		Long: `judge reads a case's timeline and prints its verdict: the same bytes as the
verdict.yaml beside it, on any machine. A timeline that is cut off is Inconclusive.

The exit code is the outcome's: 0 Pass, 1 Fail, 3 Inconclusive.`,
		Example: "  gangctl-verify judge out/cases/n-minus-two/timeline.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOutput(output, "yaml", "json"); err != nil {
				return err
			}
			v, err := suite.JudgeFile(args[0])
			if err != nil {
				return err
			}
			if output == "json" {
				err = printJSON(a.Out, v)
			} else {
				var text []byte
				if text, err = strict.Marshal(v); err == nil {
					_, err = a.Out.Write(text)
				}
			}
			if err != nil {
				return broken(err)
			}
			switch v.Outcome {
			case verdict.Fail:
				return ended(ExitFail)
			case verdict.Inconclusive:
				return ended(ExitInconclusive)
			}
			return nil
		},
	}
	c.Flags().StringVar(&output, "output", "yaml", "yaml or json")
	return c
}

func (a *app) newRender() *cobra.Command {
	t := &setup.Target{}
	c := &cobra.Command{
		Use:   "render backend[@version]",
		Short: "Print a bundle's objects, hydrated",
		Long: `render prints what "kubectl kustomize" of the release's folder prints. Upstream's
files come from the Go module of the pinned tag; with --online, from their URLs.
The digest in release.yaml is checked either way.`,
		Example: `  gangctl-verify render volcano@v1.14.1 | kubectl apply --server-side -f -
  gangctl-verify render volcano --operator training-operator`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			tr, err := setup.Load(a.root)
			if err != nil {
				return err
			}
			t.Backend = args[0]
			chosen, err := t.Choose(tr)
			if err != nil {
				return err
			}
			out, _, err := t.Render(c.Context(), tr, chosen)
			if err != nil {
				return err
			}
			_, err = a.Out.Write(out.YAML)
			return broken(err)
		},
	}
	renderFlags(c, t)
	return c
}

func (a *app) newCache() *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "List or clear the binaries that gangctl has built",
	}
	c.AddCommand(&cobra.Command{
		Use: "list", Short: "List what is cached, and where", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := toolchain.DefaultCacheDir()
			if err != nil {
				return err
			}
			entries, err := toolchain.List(dir)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "MODULE\tMB\tBUILT\tBINARIES")
			for _, e := range entries {
				fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", e.Module, e.Bytes/1e6, e.Built.Format("2006-01-02 15:04"), strings.Join(e.Binaries, " "))
			}
			fmt.Fprintf(w, "in %s\n", dir)
			return w.Flush()
		},
	}, &cobra.Command{
		Use: "clear", Short: "Remove what gangctl has built, and its build cache", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := toolchain.DefaultCacheDir()
			if err != nil {
				return err
			}
			freed, err := toolchain.Clear(dir)
			if err != nil {
				return broken(err)
			}
			fmt.Fprintf(a.Out, "%d MB freed\n", freed/1e6)
			return nil
		},
	})
	return c
}

func (a *app) newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.Out, version())
			return err
		},
	}
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && info.Main.Version == "(devel)" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return info.Main.Version
}
