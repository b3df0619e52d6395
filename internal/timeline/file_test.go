package timeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimeRoundTrip(t *testing.T) {
	roundTrip := func(n uint64) bool {
		const year = uint64(365 * 24 * time.Hour / time.Microsecond)
		want := Time(time.Duration(n%year) * time.Microsecond)
		text, err := json.Marshal(want)
		if err != nil {
			return false
		}
		var got Time
		return json.Unmarshal(text, &got) == nil && got == want
	}
	if err := quick.Check(roundTrip, nil); err != nil {
		t.Error(err)
	}
}

func TestTimeText(t *testing.T) {
	tests := map[string]struct {
		time Time
		want string
	}{
		"nothing":             {0, "0.000000"},
		"microseconds":        {Time(1500 * time.Microsecond), "0.001500"},
		"rounded nanoseconds": {Time(1999 * time.Nanosecond), "0.000002"},
		"an hour":             {Time(time.Hour), "3600.000000"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.time.String(); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	var got Time
	if err := json.Unmarshal([]byte(`"1s"`), &got); err == nil {
		t.Errorf(`"1s" is read as %s, want an error`, got)
	}
}

// A kind of event that the format gains must be counted by check too.
func TestEveryKindRoundTrips(t *testing.T) {
	kinds := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Event]()) {
		if field.Type.Kind() != reflect.Pointer {
			continue
		}
		kinds++
		t.Run(field.Name, func(t *testing.T) {
			want := Event{Seq: 7, At: Time(1500 * time.Millisecond)}
			reflect.ValueOf(&want).Elem().FieldByIndex(field.Index).Set(reflect.New(field.Type.Elem()))
			if want.Begin != nil {
				want.Begin.Scenario = json.RawMessage(`{"a":"x < y"}`)
			}
			var file bytes.Buffer
			w := NewWriter(&file)
			if err := errors.Join(w.Write(want), w.Flush()); err != nil {
				t.Fatal(err)
			}
			got, err := readAll(file.String())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Event{want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if kinds == 0 {
		t.Fatal("Event has no kinds")
	}
}

func TestRead(t *testing.T) {
	const (
		first  = `{"seq":1,"at":0.000000,"cut":{"what":"pods","err":"gone"}}`
		second = `{"seq":2,"at":0.500000,"end":{}}`
	)
	tests := map[string]struct {
		file string
		// seqs are the events that are handed over before the error.
		seqs []int
		err  string
	}{
		"whole":                         {file: first + "\n" + second + "\n", seqs: []int{1, 2}},
		"empty":                         {file: ""},
		"blank lines":                   {file: "\n" + first + "\n\n" + second + "\n\n", seqs: []int{1, 2}},
		"last line without its newline": {file: first + "\n" + second, seqs: []int{1, 2}},
		"last line cut off":             {file: first + "\n" + second[:len(second)-1], seqs: []int{1}, err: ErrCutOff.Error()},
		"only line cut off":             {file: first[:3], err: ErrCutOff.Error()},
		"garbage in the middle": {
			file: first + "\nnoise\n" + second + "\n", seqs: []int{1},
			err: "line 2: invalid character 'o' in literal null (expecting 'u')",
		},
		"a cut line in the middle": {
			file: first + "\n" + second[:9] + "\n" + second + "\n", seqs: []int{1},
			err: "line 2: unexpected EOF",
		},
		"unknown field":         {file: first + "\n" + `{"seq":2,"at":1,"end":{"color":1}}` + "\n", seqs: []int{1}, err: `line 2: json: unknown field "color"`},
		"two events on a line":  {file: first + second + "\n", err: "line 1: more than one event"},
		"a brace too many":      {file: first + "}\n", err: "line 1: more than one event"},
		"a wrong last line":     {file: `{"seq":1,"at":0,"end":{"color":1}}`, err: `line 1: json: unknown field "color"`},
		"an event says nothing": {file: `{"seq":1,"at":0}` + "\n", err: "line 1: an event must say one thing, this one says 0"},
		"an event says two things": {
			file: `{"seq":1,"at":0,"end":{},"cut":{"what":"pods","err":"gone"}}` + "\n",
			err:  "line 1: an event must say one thing, this one says 2",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			events, err := readAll(test.file)
			var seqs []int
			for _, e := range events {
				seqs = append(seqs, e.Seq)
			}
			if diff := cmp.Diff(test.seqs, seqs); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if got := message(err); got != test.err {
				t.Errorf("got error  %q\nwant error %q", got, test.err)
			}
			if cut := test.err == ErrCutOff.Error(); errors.Is(err, ErrCutOff) != cut {
				t.Errorf("error %v is ErrCutOff: %t, want %t", err, !cut, cut)
			}
		})
	}
}

// endless is a line that never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return copy(p, bytes.Repeat([]byte("x"), len(p))), nil
}

func TestReadRefusesAnEndlessLine(t *testing.T) {
	in := &endless{}
	err := Read(in, func(Event) error { return nil })
	if want := "line 1: is longer than 16777216 bytes"; message(err) != want {
		t.Errorf("got %q, want %q", message(err), want)
	}
	if in.read > 2*longest {
		t.Errorf("%d bytes were read of a line that may have %d", in.read, longest)
	}
}

func TestReadStopsAtTheReadersError(t *testing.T) {
	stop := errors.New("enough")
	calls := 0
	err := Read(strings.NewReader("{\"seq\":1,\"at\":0,\"end\":{}}\n{\"seq\":2,\"at\":0,\"end\":{}}\n"), func(Event) error {
		calls++
		return stop
	})
	if calls != 1 || !errors.Is(err, stop) || message(err) != "line 1: enough" {
		t.Errorf("got error %v after %d calls, want line 1: enough after 1", err, calls)
	}
}

func readAll(file string) ([]Event, error) {
	var all []Event
	err := Read(strings.NewReader(file), func(e Event) error {
		all = append(all, e)
		return nil
	})
	return all, err
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
