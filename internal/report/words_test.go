package report

import "testing"

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"partly bound for 11.520000s (45.840000 GPU-seconds)": "partly bound for 11.5 s (45.8 GPU-seconds)",
		"at 0.000000s":               "at 0 s",
		"watched for only 0.004210s": "watched for only 0.004 s",
		"10.0.0.1 refused":           "10.0.0.1 refused",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestMiddle(t *testing.T) {
	for in, want := range map[string]string{
		"worker-12":                         "worker-12",
		"a-very-long-role-name-worker-12":   "a-very-lo…orker-12",
		"träger-mit-langem-namen-worker-12": "träger-mi…orker-12",
	} {
		if got := middle(in, 18); got != want {
			t.Errorf("middle(%q) = %q, want %q", in, got, want)
		}
	}
}
