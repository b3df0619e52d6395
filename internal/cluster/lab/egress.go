package lab

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// egress is where the API server's calls to Services go: a CONNECT proxy on a
// unix socket, which maps a Service's ClusterIP and port to the process behind
// it. So webhooks keep their Service reference, and with it the DNS name that
// their certificate is checked against.
type egress struct {
	listener net.Listener
	mu       sync.Mutex
	routes   map[string]int // "clusterIP:port" to a port of 127.0.0.1
}

const egressConfig = `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection:
    proxyProtocol: HTTPConnect
    transport:
      uds:
        udsName: %s
`

// newEgress listens below dir, and writes the API server's configuration there.
func newEgress(dir string) (e *egress, config string, err error) {
	socket := filepath.Join(dir, "egress.sock")
	config = filepath.Join(dir, "egress.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, egressConfig, socket), 0o600); err != nil {
		return nil, "", err
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, "", err
	}
	e = &egress{listener: l, routes: map[string]int{}}
	go e.serve()
	return e, config, nil
}

// route sends calls to a Service's address to a local port.
func (e *egress) route(clusterIP string, servicePort, local int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.routes[net.JoinHostPort(clusterIP, fmt.Sprint(servicePort))] = local
}

func (e *egress) close() { e.listener.Close() }

func (e *egress) serve() {
	for {
		conn, err := e.listener.Accept()
		if err != nil {
			return
		}
		go e.connect(conn)
	}
}

func (e *egress) connect(client net.Conn) {
	defer client.Close()
	in := bufio.NewReader(client)
	req, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	e.mu.Lock()
	port, ok := e.routes[req.Host]
	e.mu.Unlock()
	if !ok || req.Method != http.MethodConnect {
		fmt.Fprintf(client, "HTTP/1.1 502 no process serves %s\r\n\r\n", req.Host)
		return
	}
	server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		fmt.Fprintf(client, "HTTP/1.1 502 %s\r\n\r\n", err)
		return
	}
	defer server.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{}, 2)
	pipe := func(to net.Conn, from io.Reader) {
		_, _ = io.Copy(to, from)
		done <- struct{}{}
	}
	go pipe(server, in)
	go pipe(client, server)
	<-done
}
