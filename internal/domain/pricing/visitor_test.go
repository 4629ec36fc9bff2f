package pricing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// report is a report of a page, some time after the previous one.
type report struct {
	after time.Duration
	says  VisitEvent
}

func visited(reports ...report) Visitor {
	at := noon
	v := FirstVisit("v", at)
	for _, r := range reports {
		at = at.Add(r.after)
		v.Note(r.says, at)
	}
	return v
}

func TestVisitorsAreCounted(t *testing.T) {
	t.Parallel()
	beat := report{HeartbeatInterval, PageViewed}
	for name, tt := range map[string]struct {
		reports []report
		visits  int
		seconds int
	}{
		"the first look is a visit without time":       {[]report{{0, PageViewed}}, 1, 0},
		"every beat counts the time since the last":    {[]report{{0, PageViewed}, beat, beat}, 1, 30},
		"two beats may pass unheard":                   {[]report{{2 * HeartbeatInterval, PageViewed}}, 1, 30},
		"of a longer silence no more counts than that": {[]report{{2*HeartbeatInterval + time.Second, PageViewed}}, 1, 30},
		"a silence just too short for a new visit":     {[]report{{VisitTimeout - time.Microsecond, PageViewed}}, 1, 30},
		"half an hour apart are two visits":            {[]report{{VisitTimeout, PageViewed}}, 2, 0},
		"the time between two visits does not count":   {[]report{beat, {VisitTimeout, PageViewed}, beat}, 2, 30},
		"days apart are two visits, not more":          {[]report{{72 * time.Hour, PageViewed}}, 2, 0},
		"the same moment twice counts once":            {[]report{beat, {0, PageViewed}, {0, PageViewed}}, 1, 15},
	} {
		t.Run(name, func(t *testing.T) {
			v := visited(tt.reports...)
			require.Equal(t, tt.visits, v.Visits)
			require.Equal(t, tt.seconds, v.Seconds)
			require.Equal(t, noon, v.FirstSeenAt)
		})
	}
}

// TestFrequentReportsAddNoTime checks that the server's clock counts, not the number of reports.
func TestFrequentReportsAddNoTime(t *testing.T) {
	t.Parallel()
	for _, every := range []time.Duration{time.Millisecond, 400 * time.Millisecond, 500 * time.Millisecond, 999 * time.Millisecond, 1600 * time.Millisecond} {
		v, at := FirstVisit("v", noon), noon
		for at.Sub(noon) < time.Minute {
			at = at.Add(every)
			v.Note(PageViewed, at)
		}
		require.InDelta(t, 60, v.Seconds, 1, "a report every %s for a minute", every)
	}
}

func TestAClockThatGoesBackCountsNothing(t *testing.T) {
	t.Parallel()
	v := visited(report{HeartbeatInterval, PageViewed}, report{-24 * time.Hour, PricingViewed})
	require.Equal(t, 1, v.Visits)
	require.Equal(t, 15, v.Seconds)
	require.Equal(t, noon.Add(HeartbeatInterval), v.LastSeenAt, "what was seen stays seen")
	require.True(t, v.ViewedPricing)
	v.Note(PageViewed, noon.Add(HeartbeatInterval+time.Second))
	require.Equal(t, 16, v.Seconds, "nothing is counted twice")
}

func TestCountersHaveAnEnd(t *testing.T) {
	t.Parallel()
	v, at := FirstVisit("v", noon), noon
	for range mostVisits + 5 {
		at = at.Add(VisitTimeout)
		v.Note(PageViewed, at)
	}
	require.Equal(t, mostVisits, v.Visits)
	v.Seconds = mostSeconds - 1
	v.Note(PageViewed, at.Add(longestGap))
	require.Equal(t, mostSeconds, v.Seconds)
}

func TestViewsAreRemembered(t *testing.T) {
	t.Parallel()
	v := visited(report{0, PageViewed})
	require.False(t, v.ViewedPricing || v.AddedToCart)
	v = visited(report{0, PricingViewed})
	require.True(t, v.ViewedPricing && !v.AddedToCart)
	v = visited(report{0, CartViewed})
	require.True(t, v.AddedToCart && !v.ViewedPricing)
	v = visited(report{0, PricingViewed}, report{HeartbeatInterval, CartViewed}, report{VisitTimeout, PageViewed})
	require.True(t, v.ViewedPricing && v.AddedToCart, "another day")
}

func TestBehaviourOfVisitors(t *testing.T) {
	t.Parallel()
	v := Visitor{ID: "secret", Visits: 2, Seconds: 95, ViewedPricing: true, AddedToCart: true}
	require.Equal(t, Behaviour{Visits: 2, TimeOnSite: 95, ViewedPricing: true, AddedToCart: true, UserType: ReturningVisitor}, v.Behaviour())
}
