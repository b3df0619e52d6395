package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// Break spoils a part of the backend's installation, for controls: the case must notice.
type Break struct {
	// Part is access, the bindings of the bundle's roles, which are deleted; or
	// certificates, those of its webhooks, which are made anew under a CA that nobody is
	// told of, as a hook that runs at each sync may do.
	Part string `json:"part"`
}

// The parts that can be broken.
const (
	AccessPart       = "access"
	CertificatesPart = "certificates"
)

var parts = []string{AccessPart, CertificatesPart}

func (b *Break) validate() error {
	if !slices.Contains(parts, b.Part) {
		return fmt.Errorf("part: %q must be %s", b.Part, strings.Join(parts, " or "))
	}
	return nil
}

func (b *Break) String() string {
	if b.Part == AccessPart {
		return "the bindings of the backend's roles are deleted"
	}
	return "the webhooks' certificates are made anew, under another CA"
}
