package analytics

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/pricing"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// word is something that a page tells, so long after the word before it.
type word struct {
	after time.Duration
	says  Event
}

func told(words ...word) Visitor {
	at := noon
	v := New("v", at)
	for _, w := range words {
		at = at.Add(w.after)
		v.Note(w.says, at)
	}
	return v
}

func TestVisitorsAreCounted(t *testing.T) {
	t.Parallel()
	beat := word{Beat, Seen}
	for name, tt := range map[string]struct {
		words   []word
		visits  int
		seconds int
	}{
		"the first look is a visit without time":       {[]word{{0, Seen}}, 1, 0},
		"every beat counts the time since the last":    {[]word{{0, Seen}, beat, beat}, 1, 30},
		"two beats may pass unheard":                   {[]word{{2 * Beat, Seen}}, 1, 30},
		"of a longer silence no more counts than that": {[]word{{2*Beat + time.Second, Seen}}, 1, 30},
		"a silence just too short for a new visit":     {[]word{{Apart - time.Microsecond, Seen}}, 1, 30},
		"half an hour apart are two visits":            {[]word{{Apart, Seen}}, 2, 0},
		"the time between two visits does not count":   {[]word{beat, {Apart, Seen}, beat}, 2, 30},
		"days apart are two visits, not more":          {[]word{{72 * time.Hour, Seen}}, 2, 0},
		"the same moment twice counts once":            {[]word{beat, {0, Seen}, {0, Seen}}, 1, 15},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := told(tt.words...)
			require.Equal(t, tt.visits, v.Visits)
			require.Equal(t, tt.seconds, v.Seconds)
			require.Equal(t, noon, v.FirstSeenAt)
		})
	}
}

// A page may speak as often as it likes: our clock measures.
func TestTalkingMuchMakesNoTime(t *testing.T) {
	t.Parallel()
	for _, every := range []time.Duration{time.Millisecond, 400 * time.Millisecond, 500 * time.Millisecond, 999 * time.Millisecond, 1600 * time.Millisecond} {
		v, at := New("v", noon), noon
		for at.Sub(noon) < time.Minute {
			at = at.Add(every)
			v.Note(Seen, at)
		}
		require.InDelta(t, 60, v.Seconds, 1, "a word every %s for a minute", every)
	}
}

func TestAClockThatGoesBackCountsNothing(t *testing.T) {
	t.Parallel()
	v := told(word{Beat, Seen}, word{-24 * time.Hour, Pricing})
	require.Equal(t, 1, v.Visits)
	require.Equal(t, 15, v.Seconds)
	require.Equal(t, noon.Add(Beat), v.LastSeenAt, "what was seen stays seen")
	require.True(t, v.ViewedPricing)
	v.Note(Seen, noon.Add(Beat+time.Second))
	require.Equal(t, 16, v.Seconds, "nothing is counted twice")
}

func TestCountersHaveAnEnd(t *testing.T) {
	t.Parallel()
	v, at := New("v", noon), noon
	for range mostVisits + 5 {
		at = at.Add(Apart)
		v.Note(Seen, at)
	}
	require.Equal(t, mostVisits, v.Visits)
	v.Seconds = mostSeconds - 1
	v.Note(Seen, at.Add(longestGap))
	require.Equal(t, mostSeconds, v.Seconds)
}

func TestWhatWasSeenStaysSeen(t *testing.T) {
	t.Parallel()
	v := told(word{0, Seen})
	require.False(t, v.ViewedPricing || v.AddedToCart)
	v = told(word{0, Pricing})
	require.True(t, v.ViewedPricing && !v.AddedToCart)
	v = told(word{0, Cart})
	require.True(t, v.AddedToCart && !v.ViewedPricing)
	v = told(word{0, Pricing}, word{Beat, Cart}, word{Apart, Seen})
	require.True(t, v.ViewedPricing && v.AddedToCart, "another day")
}

func TestBehaviourOfVisitors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		visits int
		is     pricing.UserType
	}{
		"once: new":                    {1, pricing.NewVisitor},
		"twice: returning":             {2, pricing.ReturningVisitor},
		"seven times: still returning": {7, pricing.ReturningVisitor},
		"eight times: a power user":    {8, pricing.PowerUser},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := Visitor{ID: "secret", Visits: tt.visits, Seconds: 95, ViewedPricing: true, AddedToCart: true}
			require.Equal(t, pricing.Behaviour{
				Visits: tt.visits, TimeOnSite: 95, ViewedPricing: true, AddedToCart: true, UserType: tt.is,
			}, v.Behaviour())
		})
	}
}
