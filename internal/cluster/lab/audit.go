package lab

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"

	"github.com/gangctl/gangctl/internal/access"
)

// auditPolicy logs who asked for what, when it has been answered, and not the API server
// itself. A watch is logged when it is asked for, too: it may have no end, and Kubernetes
// before 1.22 does not say when it starts.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseStarted]
rules:
- level: None
  users: ["system:apiserver", "system:anonymous"]
- level: None
  nonResourceURLs: ["*"]
- level: Metadata
  verbs: [watch]
- level: Metadata
  omitStages: [RequestReceived]
`

// requests reads what service accounts asked for from an audit log, from a place on to
// the end of its last whole line.
func requests(log string, from int64) (all []access.Request, end int64, err error) {
	file, err := os.Open(log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, from, nil
	}
	if err != nil {
		return nil, from, err
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return nil, from, err
	}
	end = from
	lines := bufio.NewReaderSize(file, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // the last line may still be being written
		}
		end += int64(len(line))
		if !bytes.Contains(line, []byte(`"username":"system:serviceaccount:`)) {
			continue
		}
		var e struct {
			Stage, Verb string
			User        struct{ Username string }
			ObjectRef   struct{ APIGroup, Resource, Subresource string }
			Annotations map[string]string

			ResponseStatus struct{ Code int }
		}
		if json.Unmarshal(line, &e) != nil || e.ObjectRef.Resource == "" {
			continue
		}
		r := access.Request{User: e.User.Username, Verb: e.Verb, Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource}
		if e.Verb != "watch" || e.Stage == "RequestReceived" {
			r.Count = 1
		}
		if e.ObjectRef.Subresource != "" {
			r.Resource += "/" + e.ObjectRef.Subresource
		}
		// Not the answer's code: a webhook may say 403, too.
		if e.Annotations["authorization.k8s.io/decision"] == "forbid" {
			r.Refused = 1
		}
		if (e.Verb == "list" || e.Verb == "watch") && e.ResponseStatus.Code == http.StatusNotFound {
			r.Missing = 1
		}
		all = append(all, r)
		if len(all) > 10000 {
			all = access.Merge(all)
		}
	}
	return access.Merge(all), end, nil
}
