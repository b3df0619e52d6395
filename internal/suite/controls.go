package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// A safety control has no gang scheduler in it. What it shows depends on the case, on
// Kubernetes and on the operator, and on no backend: within a matrix it is run once.

// keptControl is the file of a control that another suite may take, or "" for a run
// that is no such control. The name stands for all that the run depends on.
func (s *Suite) keptControl(c *scenario.Scenario, run string, w gang.Writer) (string, error) {
	if s.Controls == "" || !plain(c, run) {
		return "", nil
	}
	// A manifest is taken where it asks for no scheduler but the backend's.
	var manifests []any
	for _, sub := range scenario.Submits(c.Spec.Steps) {
		if w.Takes(sub.Manifest) {
			manifests = append(manifests, sub.Manifest.Object())
		}
	}
	binaries := map[string]string{}
	for name, path := range s.Binaries {
		if !slices.ContainsFunc(s.Release.Spec.Processes, func(p catalog.Process) bool { return p.Binary == name }) {
			binaries[name] = path
		}
	}
	program, err := self()
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{
		program, c, s.Kubernetes, s.Flags, binaries, s.Stages, s.Off, s.CertManager, s.VerifierOff, s.Operator(), manifests, s.Patience,
	})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return filepath.Join(s.Controls, c.Metadata.Name+"-"+hex.EncodeToString(sum[:6])+".jsonl"), nil
}

// self is the digest of this very program, which drives a control and records it.
var self = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
})

// takeControl writes a kept control's timeline as this suite's own. Its begin says in
// whose run it was recorded.
func (s *Suite) takeControl(kept string, begin timeline.Begin, to string) (bool, error) {
	in, err := os.Open(kept)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return false, err
	}
	defer out.Close()
	w := timeline.NewWriter(out)
	err = timeline.Read(in, func(e timeline.Event) error {
		if b := e.Begin; b != nil {
			begin.Recorded = b.Backend + "@" + b.Version
			begin.Format, begin.Started, begin.Settle, begin.Patience = b.Format, b.Started, b.Settle, b.Patience
			e.Begin = &begin
		}
		return w.Write(e)
	})
	return true, errors.Join(err, w.Flush(), out.Close())
}

// keepControl keeps a control that misbehaved as it must.
func keepControl(recorded, kept string, v *verdict.Verdict) error {
	if kept == "" || !v.ControlHeld() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return err
	}
	return os.Rename(recorded, kept)
}
