package pricing

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadProposal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer  string
		percent int
		reason  string
	}{
		"as asked":                                 {`{"discount_percent":25,"reason":"You came back."}`, 25, "You came back."},
		"far too much is read as it is":            {`{"discount_percent":500,"reason":"a"}`, 500, "a"},
		"less than nothing, too":                   {`{"discount_percent":-20,"reason":"a"}`, -20, "a"},
		"more than a whole number can hold":        {`{"discount_percent":1e300,"reason":"a"}`, farOut, "a"},
		"the same below zero":                      {`{"discount_percent":-1e300,"reason":"a"}`, -farOut, "a"},
		"the largest whole number":                 {`{"discount_percent":9223372036854775807,"reason":"a"}`, farOut, "a"},
		"a broken number: the buyer is not misled": {`{"discount_percent":12.9,"reason":"a"}`, 12, "a"},
		"a broken number below zero":               {`{"discount_percent":-0.9,"reason":"a"}`, 0, "a"},
		"space around the reason is not read":      {`{"discount_percent":5,"reason":"\n You came. \t"}`, 5, "You came."},
		"nothing said is nothing off":              {`{}`, 0, ""},
		"more than was asked for is not read":      {`{"discount_percent":5,"reason":"a","final_cents":1}`, 5, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := ReadProposal(json.RawMessage(tt.answer))
			require.NoError(t, err)
			require.Equal(t, Proposal{DiscountPercent: tt.percent, Reason: tt.reason, Source: ByModel}, p)
		})
	}
	for name, answer := range map[string]string{
		"a number as text":      `{"discount_percent":"25","reason":"a"}`,
		"not a number":          `{"discount_percent":NaN,"reason":"a"}`,
		"more than a float":     `{"discount_percent":1e999,"reason":"a"}`,
		"a list":                `[25]`,
		"a reason that is none": `{"discount_percent":25,"reason":{}}`,
		"half an answer":        `{"discount_percent":25`,
		"empty":                 ``,
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			t.Parallel()
			p, err := ReadProposal(json.RawMessage(answer))
			require.Error(t, err)
			require.Equal(t, Proposal{}, p)
		})
	}
}

// Whatever a model says, what comes of it is a price within the limits, or an error.
// Proves: F20, LLM03
func FuzzReadProposal(f *testing.F) {
	for _, answer := range []string{`{"discount_percent":25,"reason":"a"}`, `{"discount_percent":-1e300}`, `[]`, `{"discount_percent":29.999}`} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		p, err := ReadProposal(json.RawMessage(answer))
		if err != nil {
			return
		}
		v := Settle(p, Limits{ListCents: ListCents, FloorCents: 600, RoomCents: ListCents})
		require.GreaterOrEqual(t, v.FinalCents, 630)
		require.LessOrEqual(t, v.FinalCents, ListCents)
		require.Equal(t, ListCents*(100-v.DiscountPercent), v.FinalCents*100)
	})
}
