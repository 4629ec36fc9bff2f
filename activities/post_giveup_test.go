package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store/storetest"
)

func TestGiveUpPostLooksFirst(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shown           []post.Tweet
		status          post.Status
		spent, reserved int
		credits         int
	}{
		"there: published, and keeps slot and credit":  {[]post.Tweet{{ID: "77", Text: "hello", CreatedAt: noon}}, post.StatusPublished, 1, 0, 89},
		"not there: cancelled, slot and credit return": {nil, post.StatusCancelled, 0, 0, 90},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.doubtSponsored(t)
			d.holds(t, 0, 1, 89)
			d.x.timeline = tt.shown
			for range 2 { // safe to repeat
				state, err := d.GiveUpPost(t.Context(), PostRef{PostID: "p1"})
				require.NoError(t, err)
				require.Equal(t, tt.status, state.Status)
				d.holds(t, tt.spent, tt.reserved, tt.credits)
			}
			require.Len(t, d.x.since, 1, "what is decided needs no look")
			require.Zero(t, d.x.calls)
		})
	}
}

func TestGiveUpPostIsRefusedWhileTheTimelineCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, class := range map[string]post.Class{
		"the account is refused": post.AccountRefused,
		"X asks us to wait":      post.RateLimited,
		"X is not reached":       post.NotSent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.doubtSponsored(t)
			before, err := d.db.Posts.Post(t.Context(), "p1")
			require.NoError(t, err)
			d.x.err = saying(class)
			_, err = d.GiveUpPost(t.Context(), PostRef{PostID: "p1"})
			require.Equal(t, problem.Unavailable, problem.CodeOf(err))
			require.ErrorContains(t, err, "not sent again or given up")
			after, err := d.db.Posts.Post(t.Context(), "p1")
			require.NoError(t, err)
			require.Equal(t, before, after)
			d.holds(t, 0, 1, 89)
		})
	}
}

// doubtSponsored writes a member's post of which nobody knows whether it went out.
func (d *desk) doubtSponsored(t *testing.T) {
	t.Helper()
	ada := "ada"
	require.NoError(t, d.db.Members.AddMember(t.Context(), member.Member{
		ID: ada, Username: ada, UsernameKey: ada, Status: member.StatusActive, PaymentCents: member.FoundingFeeCents, JoinedAt: noon,
	}, nil))
	_, err := d.db.Posts.CreatePost(t.Context(), post.Post{
		ID: "p1", MemberID: &ada, Text: "hello", Status: post.StatusScheduled, ScheduledAt: noon,
	}, noon)
	require.NoError(t, err)
	_, err = d.db.Posts.ArmPost(t.Context(), "p1", 1, storetest.Connection(t, d.db), noon)
	require.NoError(t, err)
	_, err = d.DoubtPost(t.Context(), DoubtPostInput{PostID: "p1", Attempt: 1})
	require.NoError(t, err)
}

// holds counts slots, and the credits of ada.
func (d *desk) holds(t *testing.T, spent, reserved, credits int) {
	t.Helper()
	usage, err := d.db.Posts.MonthUsage(t.Context(), "2026-11")
	require.NoError(t, err)
	require.Equal(t, post.MonthUsage{Spent: spent, Reserved: reserved, Members: 1}, usage)
	_, _, balance, err := d.db.Members.CreditEntries(t.Context(), "ada", 1, 0)
	require.NoError(t, err)
	require.Equal(t, credits, balance)
}
