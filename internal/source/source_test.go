package source

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/catalog"
)

const text = "kind: Namespace\n"

// pin refers to the text, at its URL and in its module.
func pin(url string) catalog.Upstream {
	return catalog.Upstream{
		URL: url, Module: "example.com/Upstream@v1.0.0", Path: "deploy/all.yaml",
		SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(text))),
	}
}

// moduleCache makes a module cache with the file in it. The cache writes capitals
// with an exclamation mark.
func moduleCache(t *testing.T, content string) {
	t.Helper()
	cache := t.TempDir()
	file := filepath.Join(cache, "example.com/!upstream@v1.0.0/deploy/all.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMODCACHE", cache)
}

// server answers for upstream's host.
func server(t *testing.T, content string) string {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/all.yaml" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(content))
	}))
	t.Cleanup(s.Close)
	before := http.DefaultClient
	http.DefaultClient = s.Client()
	t.Cleanup(func() { http.DefaultClient = before })
	return s.URL
}

func TestSameBytesEitherWay(t *testing.T) {
	moduleCache(t, text)
	u := pin(server(t, text) + "/all.yaml")
	for name, r := range map[string]Resolver{"from the module cache": {}, "from the URL": {Online: true}} {
		t.Run(name, func(t *testing.T) {
			got, err := r.Fetch(t.Context(), u)
			if err != nil || string(got) != text {
				t.Errorf("got %q, error %v; want %q", got, err, text)
			}
		})
	}
}

func TestGOPATHHoldsTheModuleCache(t *testing.T) {
	moduleCache(t, text)
	gopath := t.TempDir()
	if err := os.MkdirAll(filepath.Join(gopath, "pkg"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(os.Getenv("GOMODCACHE"), filepath.Join(gopath, "pkg", "mod")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMODCACHE", "")
	t.Setenv("GOPATH", gopath+string(filepath.ListSeparator)+t.TempDir())
	got, err := Resolver{}.Fetch(t.Context(), pin("https://example.com/all.yaml"))
	if err != nil || string(got) != text {
		t.Errorf("got %q, error %v; want %q", got, err, text)
	}
}

func TestFetchErrors(t *testing.T) {
	moduleCache(t, "tampered with")
	url := server(t, "tampered with")
	t.Setenv("GOPROXY", "off")

	elsewhere := pin(url + "/all.yaml")
	elsewhere.Module = "example.com/elsewhere@v1.0.0"
	noFile := pin(url + "/all.yaml")
	noFile.Path = "deploy/none.yaml"
	digests := fmt.Sprintf("sha256 is %x, the release pins %x", sha256.Sum256([]byte("tampered with")), sha256.Sum256([]byte(text)))

	tests := map[string]struct {
		from     Resolver
		upstream catalog.Upstream
		want     []string
	}{
		"the module's digest differs": {upstream: pin(url + "/all.yaml"), want: []string{url + "/all.yaml", digests}},
		"the URL's digest differs":    {from: Resolver{Online: true}, upstream: pin(url + "/all.yaml"), want: []string{url + "/all.yaml", digests}},
		"the URL is gone":             {from: Resolver{Online: true}, upstream: pin(url + "/gone.yaml"), want: []string{url + "/gone.yaml", "404 Not Found"}},
		"no such file in the module":  {upstream: noFile, want: []string{"deploy/none.yaml", "no such file"}},
		"no such module":              {upstream: elsewhere, want: []string{url + "/all.yaml", "example.com/elsewhere@v1.0.0", "GOPROXY=off", "--online"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := test.from.Fetch(t.Context(), test.upstream)
			if err == nil {
				t.Fatalf("got %q and no error", data)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got error %q, which does not say %q", err, want)
				}
			}
		})
	}
}
