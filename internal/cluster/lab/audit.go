package lab

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/timeline"
)

// auditPolicy logs who asked for what, once each, and not the API server itself.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  users: ["system:apiserver", "system:anonymous"]
- level: None
  nonResourceURLs: ["*"]
- level: Metadata
`

// denied reads the 403 answers to service accounts from an audit log.
func denied(log string) ([]timeline.Denied, error) {
	file, err := os.Open(log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	count := map[timeline.Denied]int{}
	lines := bufio.NewReaderSize(file, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // the last line may still be being written
		}
		if !bytes.Contains(line, []byte(`"code":403`)) {
			continue
		}
		var e struct {
			Verb      string
			User      struct{ Username string }
			ObjectRef struct{ APIGroup, Resource, Subresource, Namespace, Name string }
		}
		if json.Unmarshal(line, &e) != nil || !strings.HasPrefix(e.User.Username, "system:serviceaccount:") {
			continue
		}
		r := e.ObjectRef
		d := timeline.Denied{User: e.User.Username, Verb: e.Verb, Resource: r.Resource}
		if r.Subresource != "" {
			d.Resource += "/" + r.Subresource
		}
		if r.APIGroup != "" {
			d.Resource += "." + r.APIGroup
		}
		count[d]++
	}
	var all []timeline.Denied
	for d, n := range count {
		d.Count = n
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b timeline.Denied) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb))
	})
	return all, nil
}
