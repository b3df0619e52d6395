package render

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/source"
)

// What people apply with kubectl -k, Argo CD and Flux must be what the suite tests.
// Upstream's hosts are stood in for, so that no network is needed.
func TestSameBytesAsKubectl(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: only on Linux does kubectl take its authorities from SSL_CERT_FILE")
	}
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("SKIPPED: kubectl is not on PATH, so our bytes are not compared with those of `kubectl kustomize`")
	}
	_, c := shipped(t)
	for _, b := range c.Backends {
		for _, r := range b.Releases {
			t.Run(r.String(), func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), kubectl, "kustomize", filepath.Join("../..", r.Folder()))
				cmd.Env = append(os.Environ(), upstream(t, r.Spec.Upstream)...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				theirs, err := cmd.Output()
				if err != nil {
					t.Fatalf("kubectl kustomize: %v\n%s", err, &stderr)
				}
				if diff := firstDifference(render(t, r.String()).YAML, theirs); diff != "" {
					version, _ := exec.CommandContext(t.Context(), kubectl, "version", "--client").Output()
					t.Errorf("ours and kubectl's differ: %s\n%s", diff, version)
				}
			})
		}
	}
}

// upstream serves the files at their URLs and returns the environment in which a
// program finds them there.
func upstream(t *testing.T, files []catalog.Upstream) []string {
	t.Helper()
	at, hosts := map[string][]byte{}, []string{"nothing.invalid"}
	for _, u := range files {
		where, err := url.Parse(u.URL)
		if err != nil {
			t.Fatal(err)
		}
		data, err := source.Resolver{}.Fetch(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		at[where.Host+where.Path] = data
		hosts = append(hosts, where.Host)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := at[r.Host+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	certificate, file := certificateFor(t, hosts)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)
	proxy := httptest.NewServer(tunnel(server.Listener.Addr().String(), hosts))
	t.Cleanup(proxy.Close)
	return []string{"HTTPS_PROXY=" + proxy.URL, "https_proxy=" + proxy.URL, "NO_PROXY=", "no_proxy=", "SSL_CERT_FILE=" + file}
}

// tunnel is an HTTPS proxy for the hosts, all of which are at one address.
func tunnel(addr string, hosts []string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		host, port, _ := net.SplitHostPort(r.Host)
		if r.Method != http.MethodConnect || port != "443" || !slices.Contains(hosts, host) {
			http.Error(w, "not one of upstream's hosts: "+r.Host, http.StatusForbidden)
			return
		}
		server, err := net.Dial("tcp", addr)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer server.Close()
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer client.Close()
		_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { _, _ = io.Copy(server, client) }()
		_, _ = io.Copy(client, server)
	}
}

// certificateFor makes a throwaway certificate that is its own authority, and a
// file of it for SSL_CERT_FILE.
func certificateFor(t *testing.T, hosts []string) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: hosts,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.crt")
	write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}
