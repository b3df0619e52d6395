package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/verdict"
)

func TestRerunArgs(t *testing.T) {
	r := &report.ConformanceReport{
		Reproduce: "gangctl-verify run --backend volcano@v1.14.1 --profile core,recovery --patience 2",
		Profiles: []report.Profile{{Cases: []report.CaseResult{
			{Name: "good", Outcome: verdict.Pass}, {Name: "bad", Outcome: verdict.Fail},
			{Name: "odd", Outcome: verdict.Inconclusive}, {Name: "none", Outcome: verdict.NotApplicable},
		}}},
	}
	for name, test := range map[string]struct {
		failed bool
		want   string
	}{
		"all":             {false, "--backend volcano@v1.14.1 --profile core,recovery --patience 2"},
		"what has failed": {true, "--backend volcano@v1.14.1 --patience 2 --case bad,odd"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rerunArgs(r, test.failed)
			if err != nil || !slices.Equal(got, strings.Fields(test.want)) {
				t.Errorf("got %v, %v, want %s", got, err, test.want)
			}
		})
	}
	r.Profiles[0].Cases = r.Profiles[0].Cases[:1]
	if got, err := rerunArgs(r, true); len(got) != 0 || err != nil {
		t.Errorf("with nothing that failed: %v, %v", got, err)
	}
	r.Reproduce = "rm -rf"
	if _, err := rerunArgs(r, false); err == nil {
		t.Error("another program is not refused")
	}
}
