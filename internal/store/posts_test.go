package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var november = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func newMember(t *testing.T, s *store.DB, name string) *string {
	t.Helper()
	id := xid.New().String()
	require.NoError(t, s.Members.AddMember(t.Context(), member.Member{
		ID: id, Username: name, UsernameKey: member.Key(name), Status: member.StatusActive,
		PaymentCents: member.FoundingFeeCents, JoinedAt: november,
	}, nil))
	return &id
}

func draft(memberID *string, at time.Time) post.Post {
	id := xid.New().String()
	return post.Post{ID: id, MemberID: memberID, Text: "hello " + id, Status: post.StatusScheduled, ScheduledAt: at}
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
		for range 2 { // giving up twice gives back once
			require.Equal(t, post.StatusCancelled, must(s.Posts.CancelPost(t.Context(), p.ID, november))(t).Status)
		}
		require.Equal(t, post.MonthUsage{Members: 1}, usage(t, s, "2026-11"))
		require.Equal(t, 90, balance(t, s, ada))
	})
	each(t, "texts of open posts are unique", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		again := draft(nil, november)
		again.Text = p.Text
		require.Equal(t, problem.TextDuplicate, codeOf(s.Posts.CreatePost(t.Context(), again, november)))
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved, "the refused one holds nothing")
		must(s.Posts.CancelPost(t.Context(), p.ID, november))(t)
		must(s.Posts.CreatePost(t.Context(), again, november))(t)
	})
	each(t, "a draft holds nothing until it is scheduled", func(t *testing.T, s *store.DB) {
		idea := draft(nil, november)
		idea.Status = post.StatusDraft
		idea = must(s.Posts.CreatePost(t.Context(), idea, november))(t)
		require.Zero(t, usage(t, s, "2026-11").Reserved)
		require.Equal(t, post.StatusScheduled, must(s.Posts.ChangePost(t.Context(), idea.ID, post.Change{Schedule: true}, november))(t).Status)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
	each(t, "rescheduling moves the slot to the new month", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		december := november.AddDate(0, 1, 0)
		must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{ScheduledAt: &december}, november))(t)
		require.Zero(t, usage(t, s, "2026-11").Reserved)
		require.Equal(t, 1, usage(t, s, "2026-12").Reserved)
	})
	each(t, "another's change is not overwritten", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		mine, theirs, seen := "mine "+p.ID, "theirs "+p.ID, p.Version
		must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &theirs, Version: &seen}, november))(t)
		require.Equal(t, problem.Conflict, codeOf(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &mine, Version: &seen}, november)))
		require.Equal(t, theirs, must(s.Posts.Post(t.Context(), p.ID))(t).Text)
	})
	each(t, "an armed post cannot be changed", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november))(t)
		text := "other"
		require.Equal(t, problem.PostArmed, codeOf(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text}, november)))
		require.Equal(t, problem.PostArmed, codeOf(s.Posts.CancelPost(t.Context(), p.ID, november)))
	})
	each(t, "an unknown post is not found", func(t *testing.T, s *store.DB) {
		require.Equal(t, problem.NotFound, codeOf(s.Posts.Post(t.Context(), "nobody")))
		require.Equal(t, problem.NotFound, codeOf(s.Posts.CancelPost(t.Context(), "nobody", november)))
		require.Equal(t, problem.NotFound, codeOf(s.Posts.ListedPost(t.Context(), "nobody")))
	})
	// A commit whose answer was lost is made once: asked again, it is found to be done.
	each(t, "a repeated change is no conflict with itself", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november)
		text, seen, at := "changed "+p.ID, p.Version, november.Add(time.Hour)
		for range 2 {
			changed := must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text, ScheduledAt: &at, Version: &seen}, november))(t)
			require.Equal(t, seen+1, changed.Version)
		}
		other := "other " + p.ID
		require.Equal(t, problem.Conflict, codeOf(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &other, Version: &seen}, november)))
	})
}

func TestPostLists(t *testing.T) {
	t.Parallel()
	each(t, "lists come in pages with names and slots", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "Ada")
		for i := range 5 {
			p := create(t, s, ada, november.Add(time.Duration(i)*time.Minute))
			armed := must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november))(t)
			must(s.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{
				Attempt: 1, Outcome: post.OutcomePublished, TweetID: fmt.Sprint(i), At: armed.ScheduledAt,
			}, november))(t)
		}
		create(t, s, nil, november)

		page, total := must2(s.Posts.PublishedPosts(t.Context(), 2, 1))(t)
		require.Equal(t, 5, total)
		require.Len(t, page, 2)
		require.Equal(t, "3", *page[0].TweetID, "newest first")
		require.Equal(t, []any{"Ada", post.Slot{Month: "2026-11", Number: 4}}, []any{page[0].Username, *page[0].Slot})

		queue, total := must2(s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{post.StatusScheduled}, Limit: 10}))(t)
		require.Equal(t, 1, total)
		require.Empty(t, queue[0].Username)

		require.Equal(t, 5, must(s.Posts.SponsoredPublished(t.Context()))(t))
	})
	each(t, "upcoming posts come next first", func(t *testing.T, s *store.DB) {
		later, sooner := create(t, s, nil, november.Add(2*time.Hour)), create(t, s, nil, november.Add(time.Hour))
		queue, _ := must2(s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{post.StatusScheduled}, Limit: 10}))(t)
		require.Equal(t, []string{sooner.ID, later.ID}, []string{queue[0].ID, queue[1].ID})
		all, _ := must2(s.Posts.Posts(t.Context(), post.Filter{Limit: 10}))(t)
		require.Equal(t, later.ID, all[0].ID)
	})
	each(t, "the calendar shows published and planned times", func(t *testing.T, s *store.DB) {
		from, to := november, november.Add(24*time.Hour)
		first, last := create(t, s, nil, from), create(t, s, nil, to.Add(-time.Microsecond))
		create(t, s, nil, to)
		giveUp(t, s, create(t, s, nil, from.Add(time.Hour)))
		late := create(t, s, nil, from.Add(-time.Hour)) // went out later than planned
		armed := must(s.Posts.ArmPost(t.Context(), late.ID, 1, storetest.Connection(t, s), november))(t)
		conclude(t, s, armed, post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: from.Add(time.Hour)})

		found, cut := must2(s.Posts.PostsBetween(t.Context(), from, to, nil, 10))(t)
		require.False(t, cut)
		require.Equal(t, []string{first.ID, late.ID, last.ID}, idsOf(found))
		require.NotNil(t, found[0].Slot)

		found, cut = must2(s.Posts.PostsBetween(t.Context(), from, to, nil, 2))(t)
		require.True(t, cut)
		require.Len(t, found, 2)
	})
	each(t, "drafts are visible to their authors and founders", func(t *testing.T, s *store.DB) {
		ada, eve := newMember(t, s, "ada"), newMember(t, s, "eve")
		hers := ask(t, s, ada, november.Add(time.Hour))
		theirs := draft(nil, november.Add(time.Hour))
		theirs.Status = post.StatusDraft
		theirs = must(s.Posts.CreatePost(t.Context(), theirs, november))(t)
		public := create(t, s, eve, november.Add(time.Hour))
		for name, tt := range map[string]struct {
			viewer *post.Viewer
			sees   []string
		}{
			"founders see all":        {nil, []string{hers.ID, theirs.ID, public.ID}},
			"a member their own":      {&post.Viewer{MemberID: *ada}, []string{hers.ID, public.ID}},
			"another member none":     {&post.Viewer{MemberID: *eve}, []string{public.ID}},
			"a visitor none, no name": {&post.Viewer{}, []string{public.ID}},
		} {
			listed, total := must2(s.Posts.Posts(t.Context(), post.Filter{Viewer: tt.viewer, Limit: 10}))(t)
			require.ElementsMatch(t, tt.sees, idsOf(listed), name)
			require.Equal(t, len(tt.sees), total, name)
			between, _ := must2(s.Posts.PostsBetween(t.Context(), november, november.Add(2*time.Hour), tt.viewer, 10))(t)
			require.ElementsMatch(t, tt.sees, idsOf(between), name)
			counts := must(s.Posts.CountByStatus(t.Context(), tt.viewer))(t)
			require.Equal(t, len(tt.sees), counts[post.StatusDraft]+counts[post.StatusScheduled], name)
			require.Len(t, must(s.Posts.ToCompare(t.Context(), november, tt.viewer))(t), len(tt.sees), name)
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
			require.Equal(t, post.MonthUsage{Spent: 1, Reserved: 2, CommonsHeld: 1, Members: 1}, budget.Usage)
			require.Equal(t, strings.Count(cells, "R")+strings.Count(cells, "S"), budget.OwnHeld)
		}
		require.Equal(t, strings.Repeat(".", 500), must(s.Posts.Budget(t.Context(), "2027-01", ada))(t).Cells)
	})
	each(t, "posts to compare are open or late", func(t *testing.T, s *store.DB) {
		open := create(t, s, nil, november)
		giveUp(t, s, create(t, s, nil, november))
		for i, age := range []time.Duration{29, 31} {
			v := post.Verdict{Outcome: post.OutcomePublished, TweetID: string(rune('7' + i)), At: november.Add(-age * 24 * time.Hour)}
			conclude(t, s, arm(t, s, nil), v)
		}
		require.Len(t, must(s.Posts.ToCompare(t.Context(), november.Add(-30*24*time.Hour), nil))(t), 2)
		require.False(t, must(s.Posts.TextOpenBeside(t.Context(), open.Text, open.ID))(t), "a post is no duplicate of itself")
	})
	each(t, "a generated text names its model", func(t *testing.T, s *store.DB) {
		p := draft(nil, november)
		p.Text, p.CandidateID = "generated", generate(t, s, "c1", false)
		p = must(s.Posts.CreatePost(t.Context(), p, november))(t)
		listed := must(s.Posts.ListedPost(t.Context(), p.ID))(t)
		require.Equal(t, &post.Source{Model: "builtin-1", Prompt: "tweet.v1"}, listed.Source)
		require.False(t, listed.Edited)
		for _, text := range []string{"changed", "generated"} {
			p = must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text}, november))(t)
			require.Equal(t, text != "generated", p.Edited, text)
		}
	})
	// A post must not tell which model wrote what people are still to vote on.
	each(t, "the model of an open blind vote is not named", func(t *testing.T, s *store.DB) {
		p := draft(nil, november)
		p.CandidateID = generate(t, s, "c1", true)
		p = must(s.Posts.CreatePost(t.Context(), p, november))(t)
		require.Nil(t, must(s.Posts.ListedPost(t.Context(), p.ID))(t).Source)
		require.NoError(t, s.Exec(`INSERT INTO generation_votes (generation_id, candidate_id, created_at) VALUES ('c1', 'c1', ?)`, november))
		require.NotNil(t, must(s.Posts.ListedPost(t.Context(), p.ID))(t).Source)
	})
}

func giveUp(t *testing.T, s *store.DB, p post.Post) {
	t.Helper()
	must(s.Posts.CancelPost(t.Context(), p.ID, november))(t)
}

func TestRestoredPosts(t *testing.T) {
	t.Parallel()
	each(t, "a restored post takes slot and credit again", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := create(t, s, ada, november.Add(time.Hour))
		must(s.Posts.BeginPost(t.Context(), p.ID, "run-1"))(t)
		for range 2 { // as often as people change their mind
			giveUp(t, s, p)
			require.Equal(t, 90, balance(t, s, ada))
			restored := must(s.Posts.RestorePost(t.Context(), p.ID, false, november.Add(time.Minute)))(t)
			require.Equal(t, post.StatusScheduled, restored.Status)
			require.Empty(t, restored.RunID, "its run is over")
			require.Nil(t, restored.CancelledAt)
			require.Equal(t, 89, balance(t, s, ada))
			require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
			require.Len(t, must(s.Posts.Waiting(t.Context(), false))(t), 1, "the starter finds it")
		}
		require.Equal(t, problem.PostClosed, codeOf(s.Posts.RestorePost(t.Context(), p.ID, false, november)))
	})
	each(t, "a post is not restored while its text is taken", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		giveUp(t, s, p)
		again := draft(nil, november)
		again.Text = p.Text
		must(s.Posts.CreatePost(t.Context(), again, november))(t)
		require.Equal(t, problem.TextDuplicate, codeOf(s.Posts.RestorePost(t.Context(), p.ID, false, november)))
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
	each(t, "a cancelled draft comes back as a draft", func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november)
		giveUp(t, s, p)
		p = must(s.Posts.RestorePost(t.Context(), p.ID, true, november.Add(time.Hour)))(t)
		require.Equal(t, []any{post.StatusDraft, post.ReviewAsked}, []any{p.Status, p.Review})
		require.Zero(t, usage(t, s, "2026-11").Reserved)
	})
	// What waited for something when a person gave it up was given up by that person all the same.
	each(t, "a delayed post can be restored", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		must(s.Posts.DelayPost(t.Context(), p.ID, post.CodePaused, post.PausedReason(""), november.Add(time.Hour)))(t)
		giveUp(t, s, p)
		require.Equal(t, post.StatusScheduled, must(s.Posts.RestorePost(t.Context(), p.ID, false, november))(t).Status)
	})
	each(t, "a run that came too late does not get the post", func(t *testing.T, s *store.DB) {
		p := create(t, s, nil, november.Add(time.Hour))
		must(s.Posts.BeginPost(t.Context(), p.ID, "run-1"))(t)
		giveUp(t, s, p)
		require.Equal(t, "run-1", must(s.Posts.BeginPost(t.Context(), p.ID, "run-2"))(t).RunID)
	})
}

func idsOf(posts []post.Listed) (ids []string) {
	for _, p := range posts {
		ids = append(ids, p.ID)
	}
	return ids
}

// generate writes a generation with one text down.
func generate(t *testing.T, s *store.DB, id string, blind bool) (candidateID *string) {
	t.Helper()
	require.NoError(t, s.Exec(`INSERT INTO generations (id, voice, topic, facts, blind, run_id, created_at)
		VALUES (?, 'founder', 'mugs', '[]', ?, '', ?)`, id, blind, november))
	require.NoError(t, s.Exec(`INSERT INTO candidates (id, generation_id, label, model, prompt, state, text, code, reason, chosen, ended_at)
		VALUES (?, ?, 'A', 'builtin-1', 'tweet.v1', ?, 'generated', '', '', false, ?)`, id, id, generation.Done, november))
	return &id
}

// requireTallied holds what is told without counting against what there is.
func requireTallied(t *testing.T, s *store.DB) {
	t.Helper()
	counts := must(s.Posts.CountByStatus(t.Context(), nil))(t)
	for _, status := range statuses {
		require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = ?", status), counts[status], status)
		_, total := must2(s.Posts.Posts(t.Context(), post.Filter{Statuses: []post.Status{status}, Limit: 1}))(t)
		require.Equal(t, counts[status], total)
	}
	for _, review := range []post.Review{post.ReviewAsked, post.ReviewSuggested, post.ReviewRejected} {
		_, total := must2(s.Posts.Posts(t.Context(), post.Filter{Reviews: []post.Review{review}, Limit: 1}))(t)
		require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = 'draft' AND review = ?", review), total)
	}
	sponsored := must(s.Posts.SponsoredPublished(t.Context()))(t)
	require.Equal(t, s.Number(t, "SELECT count(*) FROM posts WHERE status = 'published' AND member_id IS NOT NULL"), sponsored)
}

func TestPostCounts(t *testing.T) {
	t.Parallel()
	each(t, "whatever changes them", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		requireTallied(t, s)
		went := conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		giveUp(t, s, create(t, s, nil, november))
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused"})
		asked := ask(t, s, ada, november)
		requireTallied(t, s)
		review(t, s, asked, post.Decision{Review: post.ReviewRejected, Reason: "Not now.", Reviewer: "founder_one"})
		requireTallied(t, s)
		require.NoError(t, s.Exec("UPDATE posts SET member_id = NULL WHERE id = ?", went.ID))
		requireTallied(t, s)
		require.NoError(t, s.Exec("DELETE FROM posts WHERE id = ?", asked.ID))
		requireTallied(t, s)
		require.Error(t, s.Exec("UPDATE posts SET status = 'nonsense'"))
		requireTallied(t, s)
	})
	// Nobody waits for those who change other posts, and nothing is lost when many do: also while what
	// they have added is put together.
	each(t, "while many change them", func(t *testing.T, s *store.DB) {
		const authors, each = 12, 40
		var all sync.WaitGroup
		failures := make([]error, authors)
		for i := range authors {
			all.Go(func() {
				for n := range each {
					p := draft(nil, november.Add(time.Hour))
					p.Text = fmt.Sprintf("post %d of %d", n, i)
					if _, err := s.Posts.CreatePost(t.Context(), p, november); err != nil {
						failures[i] = err
						return
					}
					if _, err := s.Posts.CancelPost(t.Context(), p.ID, november); err != nil {
						failures[i] = err
						return
					}
				}
			})
		}
		all.Wait()
		for _, err := range failures {
			require.NoError(t, err)
		}
		requireTallied(t, s)
		require.Less(t, s.Count(t, "post_tallies"), 250, "they are put together")
		require.Equal(t, authors*each, s.Number(t, "SELECT COALESCE(SUM(n), 0) FROM post_tallies WHERE status = 'cancelled'"))
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
		week := publishAt(t, s, november.AddDate(0, 0, -8))
		day := publishAt(t, s, november.Add(-25*time.Hour))
		hour := publishAt(t, s, november.Add(-2*time.Hour))
		publishAt(t, s, november.Add(-time.Minute)) // too young

		want := []post.Reading{
			{PostID: hour.ID, TweetID: hour.ID, Checkpoint: post.CheckpointHour},
			{PostID: day.ID, TweetID: day.ID, Checkpoint: post.CheckpointDay},
			{PostID: week.ID, TweetID: week.ID, Checkpoint: post.CheckpointWeek},
		}
		for range 2 { // a worker that died after reserving gets the same again, uncounted
			require.Equal(t, want, must(s.Posts.ReserveReadings(t.Context(), 100, november))(t))
		}
		require.Equal(t, 3, reads(t, s).Used)

		for _, reading := range want {
			require.NoError(t, s.Posts.SaveMetrics(t.Context(), reading, &post.Metrics{Likes: 1, Reposts: 2, Replies: 3, Quotes: 4}, november))
		}
		require.Empty(t, must(s.Posts.ReserveReadings(t.Context(), 100, november))(t))
		require.Equal(t, 1+2*2+2*3+4, must(s.Posts.Post(t.Context(), hour.ID))(t).Engagement())
	})
	each(t, "readings stop at the budget", func(t *testing.T, s *store.DB) {
		ages := []time.Duration{2 * time.Hour, 25 * time.Hour, 8 * 24 * time.Hour} // of every checkpoint some
		for i := range post.MonthlyReads + 5 {
			publishAt(t, s, november.Add(-ages[i%len(ages)]-time.Duration(i)*time.Second))
		}
		for range 3 {
			for _, reading := range must(s.Posts.ReserveReadings(t.Context(), 60, november))(t) {
				require.NoError(t, s.Posts.SaveMetrics(t.Context(), reading, nil, november))
			}
		}
		require.Equal(t, post.ReadUsage{Used: 100, Budget: 100}, reads(t, s))
		require.NoError(t, s.Posts.CountSafetyRead(t.Context(), november))
		require.Equal(t, post.ReadUsage{Used: 100, Budget: 100, Safety: 1}, reads(t, s), "safety is never refused")
	})
}

func reads(t *testing.T, s *store.DB) post.ReadUsage {
	t.Helper()
	return must(s.Posts.ReadUsage(t.Context(), "2026-11"))(t)
}
