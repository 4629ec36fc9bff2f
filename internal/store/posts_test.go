package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var november = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func newMember(t *testing.T, s *store.DB, name string) *string {
	t.Helper()
	m := newcomer(name)
	require.NoError(t, s.Members.AddMember(t.Context(), m, nil))
	return &m.ID
}

func draft(memberID *string, at time.Time) post.Post {
	id := xid.New().String()
	return post.Post{ID: id, MemberID: memberID, Text: "hello " + id, Status: post.StatusScheduled, ScheduledAt: at}
}

func saying(text string) post.Post {
	p := draft(nil, november)
	p.Text = text
	return p
}

func unscheduled(at time.Time) post.Post {
	p := draft(nil, at)
	p.Status = post.StatusDraft
	return p
}

func create(t *testing.T, s *store.DB, memberID *string, at time.Time) post.Post {
	t.Helper()
	return must(s.Posts.CreatePost(t.Context(), draft(memberID, at), november))(t)
}

func usage(t *testing.T, s *store.DB, month post.Month) post.MonthUsage {
	t.Helper()
	return must(s.Posts.MonthUsage(t.Context(), month))(t)
}

func balance(t *testing.T, s *store.DB, memberID *string) int {
	t.Helper()
	book := must(s.Credits(t.Context(), *memberID))(t)
	sum := 0
	for i, entry := range book {
		sum += entry.Delta
		require.Equal(t, i+1, entry.Seq)
		require.Equal(t, sum, entry.Balance, "the balance is the sum")
	}
	return sum
}

// Proves: F11, F25, V15.4.2, F13
func TestPosts(t *testing.T) {
	t.Parallel()
	each(t, "a post holds slot and credit until it is cancelled", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := create(t, s, ada, november.Add(time.Hour))
		require.Equal(t, post.MonthUsage{Reserved: 1, Members: 1}, usage(t, s, "2026-11"))
		require.Equal(t, 89, balance(t, s, ada))
		for range 2 { // a repeated cancellation releases once
			require.Equal(t, post.StatusCancelled, must(s.Posts.CancelPost(t.Context(), p.ID, november))(t).Status)
		}
		require.Equal(t, post.MonthUsage{Members: 1}, usage(t, s, "2026-11"))
		require.Equal(t, 90, balance(t, s, ada))
	})
	each(t, "texts of open posts are unique", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		again := saying(p.Text)
		requireCode(t, problem.TextDuplicate, errOf(s.Posts.CreatePost(t.Context(), again, november)))
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved, "the refused one holds nothing")
		cancelPost(t, s, p)
		must(s.Posts.CreatePost(t.Context(), again, november))(t)
	})
	each(t, "a published text is not sent again", func(t *testing.T, s *store.DB) {
		p := publishAt(t, s, november)
		at := func(at time.Time, status post.Status, review post.Review) post.Post {
			again := draft(nil, at)
			again.Text, again.Status, again.Review = "  "+p.Text, status, review // X displays both alike
			return again
		}
		const why = "This text was published on Nov 20, 2026 (UTC), and X rejects duplicates. Change the text and try again."
		for _, again := range []post.Post{at(november, post.StatusScheduled, ""), at(november, post.StatusDraft, post.ReviewRequested)} {
			err := errOf(s.Posts.CreatePost(t.Context(), again, november))
			requireCode(t, problem.TextDuplicate, err)
			require.EqualError(t, err, why)
			_, err = s.Posts.Post(t.Context(), again.ID)
			requireCode(t, problem.NotFound, err)
		}
		idea := must(s.Posts.CreatePost(t.Context(), at(november, post.StatusDraft, ""), november))(t)
		require.EqualError(t, errOf(s.Posts.ChangePost(t.Context(), idea.ID, post.Change{Schedule: true}, november)), why)
		later := november.Add(time.Hour)
		require.Equal(t, post.StatusScheduled, must(s.Posts.ChangePost(t.Context(), idea.ID, post.Change{Schedule: true, ScheduledAt: &later}, november))(t).Status, "it can still be changed")
		cancelPost(t, s, idea)
		after := november.Add(post.DuplicateWindow + time.Second)
		must(s.Posts.CreatePost(t.Context(), at(after, post.StatusScheduled, ""), after))(t)
	})
	each(t, "a draft holds nothing until it is scheduled", func(t *testing.T, s *store.DB) {
		idea := must(s.Posts.CreatePost(t.Context(), unscheduled(november), november))(t)
		require.Zero(t, usage(t, s, "2026-11").Reserved)
		require.Equal(t, post.StatusScheduled, must(s.Posts.ChangePost(t.Context(), idea.ID, post.Change{Schedule: true}, november))(t).Status)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
	each(t, "rescheduling moves the slot to the new month", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		december := november.AddDate(0, 1, 0)
		must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{ScheduledAt: &december}, november))(t)
		require.Equal(t, []int{0, 1}, []int{usage(t, s, "2026-11").Reserved, usage(t, s, "2026-12").Reserved})
	})
	each(t, "an armed post cannot be changed", func(t *testing.T, s *store.DB) {
		p, text := arm(t, s, nil), "other"
		requireCode(t, problem.PostArmed, errOf(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text}, november)),
			errOf(s.Posts.CancelPost(t.Context(), p.ID, november)))
	})
	each(t, "an unknown post is not found", func(t *testing.T, s *store.DB) {
		requireCode(t, problem.NotFound, errOf(s.Posts.Post(t.Context(), "nobody")), errOf(s.Posts.CancelPost(t.Context(), "nobody", november)),
			errOf(s.Posts.ListedPost(t.Context(), "nobody")))
	})
	// A repeat after a lost answer finds the change done.
	each(t, "a repeated change is no conflict, another's is not overwritten", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		text, other, seen, at := "changed "+p.ID, "other "+p.ID, p.Version, november.Add(time.Hour)
		for range 2 {
			changed := must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text, ScheduledAt: &at, Version: &seen}, november))(t)
			require.Equal(t, seen+1, changed.Version)
		}
		requireCode(t, problem.Conflict, errOf(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &other, Version: &seen}, november)))
		require.Equal(t, text, must(s.Posts.Post(t.Context(), p.ID))(t).Text)
	})
}

func TestPostLists(t *testing.T) {
	t.Parallel()
	each(t, "lists come in pages with names and slots", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "Ada")
		for i := range 5 {
			p := create(t, s, ada, november.Add(time.Duration(i)*time.Minute))
			armed := must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november))(t)
			conclude(t, s, armed, post.Verdict{Outcome: post.OutcomePublished, TweetID: fmt.Sprint(i), At: armed.ScheduledAt})
		}
		create(t, s, nil, november)
		page, total := must2(s.Posts.PublishedPosts(t.Context(), 2, 1))(t)
		require.Equal(t, []int{5, 2}, []int{total, len(page)})
		require.Equal(t, "3", *page[0].TweetID, "newest first")
		require.Equal(t, []any{"Ada", post.Slot{Month: "2026-11", Number: 4}}, []any{page[0].Username, *page[0].Slot})
		queue, total := must2(s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{post.StatusScheduled}, Limit: 10}))(t)
		require.Equal(t, []any{1, ""}, []any{total, queue[0].Username})
		require.Equal(t, 5, must(s.Posts.SponsoredPublished(t.Context()))(t))
	})
	each(t, "upcoming posts come next first", func(t *testing.T, s *store.DB) {
		later, sooner := create(t, s, nil, november.Add(2*time.Hour)), create(t, s, nil, november.Add(time.Hour))
		queue, _ := must2(s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{post.StatusScheduled}, Limit: 10}))(t)
		require.Equal(t, []string{sooner.ID, later.ID}, idsOf(queue))
		all, _ := must2(s.Posts.Posts(t.Context(), post.Filter{Limit: 10}))(t)
		require.Equal(t, []string{later.ID, sooner.ID}, idsOf(all))
	})
	each(t, "the calendar shows published and planned times", func(t *testing.T, s *store.DB) {
		from, to := november, november.Add(24*time.Hour)
		first, last := create(t, s, nil, from), create(t, s, nil, to.Add(-time.Microsecond))
		create(t, s, nil, to)
		cancelPost(t, s, create(t, s, nil, from.Add(time.Hour)))
		late := create(t, s, nil, from.Add(-time.Hour)) // published later than scheduled
		armed := must(s.Posts.ArmPost(t.Context(), late.ID, 1, storetest.Connection(t, s), november))(t)
		conclude(t, s, armed, post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: from.Add(time.Hour)})
		publishAt(t, s, to) // at the start of the next range
		publishAt(t, s, from.Add(-time.Microsecond))
		for limit, want := range map[int][]string{10: {first.ID, late.ID, last.ID}, 2: {first.ID, late.ID}} {
			found, cut := must2(s.Posts.PostsBetween(t.Context(), from, to, nil, limit))(t)
			require.Equal(t, []any{want, limit == 2}, []any{idsOf(found), cut})
			require.NotNil(t, found[0].Slot)
		}
	})
	each(t, "drafts are visible to their authors and founders", func(t *testing.T, s *store.DB) {
		ada, eve := newMember(t, s, "ada"), newMember(t, s, "eve")
		hers := ask(t, s, ada, november.Add(time.Hour))
		theirs := must(s.Posts.CreatePost(t.Context(), unscheduled(november.Add(time.Hour)), november))(t)
		public := create(t, s, eve, november.Add(time.Hour))
		for name, tt := range map[string]struct {
			viewer *post.Viewer
			sees   []string
		}{
			"founders see all":         {nil, []string{hers.ID, theirs.ID, public.ID}},
			"a member sees their own":  {&post.Viewer{MemberID: *ada}, []string{hers.ID, public.ID}},
			"another member sees none": {&post.Viewer{MemberID: *eve}, []string{public.ID}},
			"a visitor sees none":      {&post.Viewer{}, []string{public.ID}},
		} {
			listed, total := must2(s.Posts.Posts(t.Context(), post.Filter{Viewer: tt.viewer, Limit: 10}))(t)
			between, _ := must2(s.Posts.PostsBetween(t.Context(), november, november.Add(2*time.Hour), tt.viewer, 10))(t)
			require.ElementsMatch(t, tt.sees, idsOf(listed), name)
			require.ElementsMatch(t, tt.sees, idsOf(between), name)
			counts, compared := must(s.Posts.CountByStatus(t.Context(), tt.viewer))(t), must(s.Posts.ToCompare(t.Context(), november, tt.viewer))(t)
			for _, n := range []int{total, counts[post.StatusDraft] + counts[post.StatusScheduled], len(compared)} {
				require.Len(t, tt.sees, n, name)
			}
			for _, p := range listed {
				require.True(t, tt.viewer.MaySee(p.Post))
			}
		}
	})
	each(t, "the budget marks the caller's slots", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		create(t, s, nil, november)
		conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		create(t, s, ada, november)
		founders := ""
		for cells, holder := range map[string]*string{"rsr": nil, "rSR": ada, "Rsr": &founders} {
			budget := must(s.Posts.Budget(t.Context(), "2026-11", holder))(t)
			require.Equal(t, cells+strings.Repeat(".", 497), budget.Cells)
			require.Equal(t, post.MonthUsage{Spent: 1, Reserved: 2, FoundersShareHeld: 1, Members: 1}, budget.Usage)
			require.Equal(t, strings.Count(cells, "R")+strings.Count(cells, "S"), budget.OwnHeld)
		}
		require.Equal(t, strings.Repeat(".", 500), must(s.Posts.Budget(t.Context(), "2027-01", ada))(t).Cells)
	})
	each(t, "posts to compare are open or late", func(t *testing.T, s *store.DB) {
		open := create(t, s, nil, november)
		cancelPost(t, s, create(t, s, nil, november))
		for i, age := range []time.Duration{29, 31} {
			v := post.Verdict{Outcome: post.OutcomePublished, TweetID: string(rune('7' + i)), At: november.Add(-age * 24 * time.Hour)}
			conclude(t, s, arm(t, s, nil), v)
		}
		require.Len(t, must(s.Posts.ToCompare(t.Context(), november.Add(-30*24*time.Hour), nil))(t), 2)
		require.Nil(t, must(s.Posts.SameText(t.Context(), open.Text, open.ID, november))(t), "a post is no duplicate of itself")
	})
	// A post must not name the model while the vote is open.
	each(t, "a generated text names its model, but not during a blind vote", func(t *testing.T, s *store.DB) {
		p := saying("generated")
		p.CandidateID = generate(t, s, "c1", true)
		p = must(s.Posts.CreatePost(t.Context(), p, november))(t)
		require.Nil(t, must(s.Posts.ListedPost(t.Context(), p.ID))(t).Source)
		require.NoError(t, s.Exec(`INSERT INTO generation_votes (generation_id, candidate_id, created_at) VALUES ('c1', 'c1', ?)`, november))
		other := saying("not by vote")
		other.CandidateID = generate(t, s, "c2", false)
		for _, id := range []string{p.ID, must(s.Posts.CreatePost(t.Context(), other, november))(t).ID} {
			require.Equal(t, &post.Source{Model: "openai:gpt-5", Prompt: "tweet.v1"}, must(s.Posts.ListedPost(t.Context(), id))(t).Source)
		}
		require.False(t, p.Edited)
		for _, text := range []string{"changed", "generated"} {
			p = must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text}, november))(t)
			require.Equal(t, text != "generated", p.Edited, text)
		}
	})
}

func cancelPost(t *testing.T, s *store.DB, p post.Post) {
	t.Helper()
	must(s.Posts.CancelPost(t.Context(), p.ID, november))(t)
}

func TestRestoredPosts(t *testing.T) {
	t.Parallel()
	each(t, "a restored post takes slot and credit again", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := create(t, s, ada, november.Add(time.Hour))
		must(s.Posts.BeginPost(t.Context(), p.ID, "run-1"))(t)
		for range 2 { // repeatedly
			cancelPost(t, s, p)
			require.Equal(t, 90, balance(t, s, ada))
			restored := must(s.Posts.RestorePost(t.Context(), p.ID, false, november.Add(time.Minute)))(t)
			require.Equal(t, []any{post.StatusScheduled, "", (*time.Time)(nil)}, []any{restored.Status, restored.RunID, restored.CancelledAt})
			require.Equal(t, []int{89, 1}, []int{balance(t, s, ada), usage(t, s, "2026-11").Reserved})
			require.Len(t, must(s.Posts.Waiting(t.Context(), false))(t), 1, "the dispatcher finds it")
		}
		requireCode(t, problem.PostClosed, errOf(s.Posts.RestorePost(t.Context(), p.ID, false, november)))
	})
	each(t, "a post is not restored while its text is taken", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		cancelPost(t, s, p)
		must(s.Posts.CreatePost(t.Context(), saying(p.Text), november))(t)
		requireCode(t, problem.TextDuplicate, errOf(s.Posts.RestorePost(t.Context(), p.ID, false, november)))
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
	each(t, "a cancelled draft comes back as a draft", func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november)
		cancelPost(t, s, p)
		p = must(s.Posts.RestorePost(t.Context(), p.ID, true, november.Add(time.Hour)))(t)
		require.Equal(t, []any{post.StatusDraft, post.ReviewRequested, 0}, []any{p.Status, p.Review, usage(t, s, "2026-11").Reserved})
	})
	// Cancelling a waiting post replaces the reason for waiting.
	each(t, "a delayed post can be restored", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		must(s.Posts.DelayPost(t.Context(), p.ID, post.CodePaused, post.PausedReason(""), november.Add(time.Hour)))(t)
		cancelPost(t, s, p)
		require.Equal(t, post.StatusScheduled, must(s.Posts.RestorePost(t.Context(), p.ID, false, november))(t).Status)
	})
	each(t, "a late run is not stored", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		must(s.Posts.BeginPost(t.Context(), p.ID, "run-1"))(t)
		cancelPost(t, s, p)
		require.Equal(t, "run-1", must(s.Posts.BeginPost(t.Context(), p.ID, "run-2"))(t).RunID)
	})
}

func generate(t *testing.T, s *store.DB, id string, blind bool) (candidateID *string) {
	t.Helper()
	require.NoError(t, s.Exec(`INSERT INTO generations (id, voice, topic, facts, blind, run_id, created_at)
		VALUES (?, 'founder', 'mugs', '[]', ?, '', ?)`, id, blind, november))
	require.NoError(t, s.Exec(`INSERT INTO generation_candidates (id, generation_id, label, model, prompt, state, text, code, reason, chosen, ended_at)
		VALUES (?, ?, 'A', 'openai:gpt-5', 'tweet.v1', ?, 'generated', '', '', false, ?)`, id, id, generation.Done, november))
	return &id
}

// requireCounted compares the maintained counts with the rows.
func requireCounted(t *testing.T, s *store.DB) {
	t.Helper()
	counts := must(s.Posts.CountByStatus(t.Context(), nil))(t)
	for _, status := range statuses {
		require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = ?", status), counts[status], status)
		_, total := must2(s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{status}, Limit: 1}))(t)
		require.Equal(t, counts[status], total)
	}
	for _, review := range []post.Review{post.ReviewRequested, post.ReviewSuggested, post.ReviewRejected} {
		_, total := must2(s.Posts.Posts(t.Context(), post.Filter{Reviews: []post.Review{review}, Limit: 1}))(t)
		require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = 'draft' AND review = ?", review), total)
	}
	sponsored := must(s.Posts.SponsoredPublished(t.Context()))(t)
	require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = 'published' AND member_id IS NOT NULL"), sponsored)
}

func TestPostCounts(t *testing.T) {
	t.Parallel()
	each(t, "counts follow every change", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		requireCounted(t, s)
		went := conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		cancelPost(t, s, create(t, s, nil, november))
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused"})
		asked := ask(t, s, ada, november)
		requireCounted(t, s)
		review(t, s, asked, rejected)
		requireCounted(t, s)
		for _, statement := range []string{"UPDATE posts SET member_id = NULL WHERE id = '" + went.ID + "'", "DELETE FROM posts WHERE id = '" + asked.ID + "'"} {
			require.NoError(t, s.Exec(statement))
			requireCounted(t, s)
		}
		require.Error(t, s.Exec("UPDATE posts SET status = 'nonsense'"))
		requireCounted(t, s)
	})
	each(t, "counts follow concurrent changes", func(t *testing.T, s *store.DB) {
		const authors, posts = 12, 40
		require.Equal(t, authors, atOnce(t, authors, func(i int) (err error) {
			for n := 0; n < posts && err == nil; n++ {
				p := saying(fmt.Sprintf("post %d of %d", n, i))
				if _, err = s.Posts.CreatePost(t.Context(), p, november); err == nil {
					_, err = s.Posts.CancelPost(t.Context(), p.ID, november)
				}
			}
			return err
		}))
		requireCounted(t, s)
		require.Less(t, s.Count(t, "post_tallies"), 250, "they are put together")
		require.Equal(t, authors*posts, s.Number(t, "SELECT COALESCE(SUM(n), 0) FROM post_tallies WHERE status = 'cancelled'"))
	})
}

func publishAt(t *testing.T, s *store.DB, at time.Time) post.Post {
	t.Helper()
	p := arm(t, s, nil)
	return conclude(t, s, p, post.Verdict{Outcome: post.OutcomePublished, TweetID: p.ID, At: at})
}

// Proves: V2.3.2
func TestEngagementReads(t *testing.T) {
	t.Parallel()
	each(t, "readings are reserved once and newest first", func(t *testing.T, s *store.DB) {
		var want []post.Reading
		for _, due := range []struct {
			age        time.Duration
			checkpoint post.Checkpoint
		}{{2 * time.Hour, post.CheckpointHour}, {25 * time.Hour, post.CheckpointDay}, {8 * 24 * time.Hour, post.CheckpointWeek}} {
			p := publishAt(t, s, november.Add(-due.age))
			want = append(want, post.Reading{PostID: p.ID, TweetID: p.ID, Checkpoint: due.checkpoint})
		}
		publishAt(t, s, november.Add(-time.Minute)) // too young
		for range 2 {                               // after a lost worker the same readings are returned, uncounted
			require.Equal(t, want, must(s.Posts.ReserveReadings(t.Context(), 100, november))(t))
		}
		require.Equal(t, 3, reads(t, s).Used)
		for _, reading := range want {
			require.NoError(t, s.Posts.SaveMetrics(t.Context(), reading, &post.Metrics{Likes: 1, Reposts: 2, Replies: 3, Quotes: 4}, november))
		}
		require.Empty(t, must(s.Posts.ReserveReadings(t.Context(), 100, november))(t))
		require.Equal(t, 1+2*2+2*3+4, must(s.Posts.Post(t.Context(), want[0].PostID))(t).Engagement())
	})
	each(t, "readings stop at the budget", func(t *testing.T, s *store.DB) {
		ages := []time.Duration{2 * time.Hour, 25 * time.Hour, 8 * 24 * time.Hour} // some of every checkpoint
		for i := range post.MonthlyReads + 5 {
			publishAt(t, s, november.Add(-ages[i%len(ages)]-time.Duration(i)*time.Second))
		}
		for range 3 {
			for _, reading := range must(s.Posts.ReserveReadings(t.Context(), 60, november))(t) {
				require.NoError(t, s.Posts.SaveMetrics(t.Context(), reading, nil, november))
			}
		}
		require.Equal(t, post.ReadUsage{Used: 100, Budget: 100}, reads(t, s))
		require.NoError(t, s.Posts.CountReconciliationRead(t.Context(), november))
		require.Equal(t, post.ReadUsage{Used: 100, Budget: 100, ReconciliationReads: 1}, reads(t, s), "safety is never refused")
	})
}

func reads(t *testing.T, s *store.DB) post.ReadUsage {
	t.Helper()
	return must(s.Posts.ReadUsage(t.Context(), "2026-11"))(t)
}
