// Generate writes what Kubernetes before 1.23 generates at its build and does not ship:
// the OpenAPI definitions of its types. The generator is upstream's. It runs in the build
// module's folder, and writes into the copy that a replace line of its go.mod points to.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/kube-openapi/cmd/openapi-gen/args"
	"k8s.io/kube-openapi/pkg/generators"
)

const (
	root   = "k8s.io/kubernetes"
	output = root + "/pkg/generated/openapi"
	name   = "zz_generated.openapi"
)

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	Standard        bool
	Module          *struct{ Path, Dir string }
}

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate() error {
	gopath, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "generate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(gopath)
	packages, err := list()
	if err != nil {
		return err
	}
	inputs, err := link(packages, filepath.Join(gopath, "src"))
	if err != nil {
		return err
	}
	// The generator is of before modules, and of before go/types knew aliases.
	build.Default.GOPATH = gopath
	if err := errors.Join(os.Setenv("GO111MODULE", "off"), os.Setenv("GODEBUG", "gotypesalias=0")); err != nil {
		return err
	}
	to := packages[output]
	generic, custom := args.NewDefaults()
	generic.InputDirs, generic.OutputBase, generic.OutputPackagePath, generic.OutputFileBaseName = inputs, gopath, output, name
	generic.GoHeaderFilePath = filepath.Join(to.Module.Dir, "hack/boilerplate/boilerplate.generatego.txt")
	// The rules that upstream's types break are upstream's to know.
	custom.ReportFilename = os.DevNull
	if err := generic.Execute(generators.NameSystems(), generators.DefaultNameSystem(), generators.Packages); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(gopath, output, name+".go"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to.Dir, name+".go"), data, 0o644)
}

// list is what the build compiles, by import path, but for the standard library.
func list() (map[string]listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,Standard,Module", "tool")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if !p.Standard {
			all[p.ImportPath] = p
		}
	}
	if all[output].Module == nil {
		return nil, fmt.Errorf("nothing needs %s", output)
	}
	return all, nil
}

// link lays packages out as the generator wants them, and returns those with types for it.
func link(packages map[string]listed, src string) (inputs []string, err error) {
	for _, p := range packages {
		dir, wanted := filepath.Join(src, p.ImportPath), false
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		for _, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			wanted = wanted || bytes.Contains(data, []byte("+k8s:openapi-gen="))
			if err := os.Symlink(file, filepath.Join(dir, name)); err != nil {
				return nil, err
			}
		}
		// Its own comments speak of the tag, too.
		if wanted && !strings.HasPrefix(p.ImportPath, "k8s.io/kube-openapi/") {
			inputs = append(inputs, p.ImportPath)
		}
	}
	slices.Sort(inputs)
	return inputs, nil
}
