package toolchain

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gangctl/gangctl/internal/catalog"
)

// The cache folder holds
//
//	bin/<module>-<key>/     binaries and their meta.json, renamed into place whole
//	bin/.tmp-<module>/      a build that is going on, or was killed, with its copies
//	bin/.lock-<module>      flock of whoever builds the module
//	bin/.lock-build         flock, shared, of every build that uses build/
//	build/                  Go's build cache and module cache, dropped when all is built
const (
	metaFile  = "meta.json"
	keyDigits = 12
)

var errNoCache = errors.New("no cache folder is set")

// Entry is a built module in the cache.
type Entry struct {
	// Module is its name, such as kubernetes@v1.34.4.
	Module string
	// Key is the first 12 hex digits of its content address.
	Key string
	// Bytes is the size of its binaries.
	Bytes    int64
	Built    time.Time
	Binaries []string
	// Path is its folder.
	Path string
}

// meta is an entry's meta.json. The sizes tell a whole binary from one that was
// cut short by a crash of the machine.
type meta struct {
	Module string `json:"module"`
	fingerprint
	Built    time.Time        `json:"built"`
	Binaries map[string]int64 `json:"binaries"`
}

func (t *Toolchain) binDir() string         { return filepath.Join(t.CacheDir, "bin") }
func folder(module string) string           { return strings.ReplaceAll(module, "@", "-") }
func lockFile(cacheDir, name string) string { return filepath.Join(cacheDir, "bin", ".lock-"+name) }
func entryName(module string, f fingerprint) string {
	return folder(module) + "-" + f.key()[:keyDigits]
}
func (t *Toolchain) dir(m catalog.Module) string {
	return filepath.Join(t.Root, filepath.FromSlash(m.Path))
}

// List returns the built modules by name, oldest first. What is not whole is
// left out; a missing cache is empty.
func List(cacheDir string) ([]Entry, error) {
	var entries []Entry
	err := eachMeta(cacheDir, func(path string, m meta) {
		e := Entry{Module: m.Module, Key: m.key()[:keyDigits], Built: m.Built, Binaries: slices.Sorted(maps.Keys(m.Binaries)), Path: path}
		for _, n := range m.Binaries {
			e.Bytes += n
		}
		entries = append(entries, e)
	})
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), a.Built.Compare(b.Built))
	})
	return entries, err
}

// Clear removes bin/ and build/ of the cache folder and nothing else, and
// returns how many bytes that has freed. It refuses while something is built.
func Clear(cacheDir string) (freed int64, err error) {
	if cacheDir == "" {
		return 0, errNoCache
	}
	files, err := os.ReadDir(filepath.Join(cacheDir, "bin"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("clear cache: %w", err)
	}
	for _, f := range files {
		name, ok := strings.CutPrefix(f.Name(), ".lock-")
		if !ok {
			continue
		}
		unlock, err := tryLock(lockFile(cacheDir, name), exclusive)
		if errors.Is(err, errLocked) {
			return 0, fmt.Errorf("clear cache %s: a build is going on: %w", cacheDir, err)
		}
		if err != nil {
			return 0, fmt.Errorf("clear cache: %w", err)
		}
		defer unlock()
	}
	var errs []error
	for _, name := range []string{"bin", "build"} {
		dir := filepath.Join(cacheDir, name)
		before := size(dir)
		errs = append(errs, os.RemoveAll(dir))
		freed += before - size(dir)
	}
	return freed, errors.Join(errs...)
}

// cached finds the newest whole entry that agrees with a fingerprint. A cache
// that cannot be read has none: if a build follows, it reports the reason.
func cached(cacheDir string, mod catalog.Module, f fingerprint) (Entry, bool) {
	var found Entry
	_ = eachMeta(cacheDir, func(path string, m meta) {
		if m.Module == mod.Name && f.matches(m.fingerprint) && m.Built.After(found.Built) {
			found = Entry{Module: m.Module, Built: m.Built, Path: path}
		}
	})
	return found, found.Path != ""
}

// eachMeta visits the whole entries of a cache.
func eachMeta(cacheDir string, visit func(path string, m meta)) error {
	if cacheDir == "" {
		return errNoCache
	}
	bin := filepath.Join(cacheDir, "bin")
	dirs, err := os.ReadDir(bin)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, d := range dirs {
		path := filepath.Join(bin, d.Name())
		// A build that is going on begins with a dot.
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		if m, ok := readMeta(path); ok && d.Name() == entryName(m.Module, m.fingerprint) {
			visit(path, m)
		}
	}
	return err
}

// readMeta reports whether an entry is whole.
func readMeta(path string) (m meta, whole bool) {
	data, err := os.ReadFile(filepath.Join(path, metaFile))
	if err != nil || json.Unmarshal(data, &m) != nil {
		return m, false
	}
	for name, bytes := range m.Binaries {
		if i, err := os.Stat(filepath.Join(path, name)); err != nil || i.Size() != bytes {
			return m, false
		}
	}
	return m, len(m.Binaries) > 0
}

// store renames a folder of binaries to its place in the cache.
func (t *Toolchain) store(l *lookup, out string) error {
	m := meta{Module: l.Name, fingerprint: l.print, Built: time.Now().UTC(), Binaries: map[string]int64{}}
	for name := range l.Binaries {
		i, err := os.Stat(filepath.Join(out, name))
		if err != nil {
			return err
		}
		m.Binaries[name] = i.Size()
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, metaFile), append(data, '\n'), 0o644); err != nil {
		return err
	}
	place := filepath.Join(t.binDir(), entryName(l.Name, l.print))
	// What is there is not whole: it would have been taken.
	if err := os.RemoveAll(place); err != nil {
		return err
	}
	return os.Rename(out, place)
}

// size is the bytes of a folder's files; what cannot be read counts nothing.
func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if i, err := d.Info(); err == nil && i.Mode().IsRegular() {
			n += i.Size()
		}
		return nil
	})
	return n
}
