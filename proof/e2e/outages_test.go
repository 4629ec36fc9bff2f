package e2e

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/internal/platform/testseed"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/store"
	"customerzero/internal/store/testdb"
	"customerzero/worker"
	"customerzero/workflows"
)

// firstSweep is a store that reports the end of the dispatcher's first sweep.
type firstSweep struct {
	*store.DB
	done chan struct{}
}

func (s firstSweep) Tidy(ctx context.Context, at time.Time) error {
	close(s.done)
	return s.DB.Tidy(ctx, at)
}

// startDispatcher returns after the first sweep, which starts every run.
func (w *world) startDispatcher(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done, first := make(chan struct{}), make(chan struct{})
	dispatcher := &worker.Dispatcher{
		Posts: w.db.Posts, Emails: w.db.Emails, Checkouts: w.db.Checkouts, RecurringPost: w.db.RecurringPosts, Store: firstSweep{w.db, first}, Runs: w.runs, Every: 50 * time.Millisecond,
		Experiments: w.db.Experiments, AccountDeletions: w.db.Deletions, Verifications: w.db.Verifications, Generations: w.db.Generations,
		Diagnoses: w.db.Diagnoses, Logins: w.db.Accounts, Credentials: w.db.Bot, CheckEvery: 250 * time.Millisecond,
	}
	go func() {
		defer close(done)
		dispatcher.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	<-first
}

// A run that is lost while its post is being sent leaves an armed row. The next run reconciles first.
// Proves: F1
func TestDispatcherReconcilesAnArmedPost(t *testing.T) {
	each(t, shortSend, func(t *testing.T, w *world) {
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Times: 1})
		p := w.schedule(t, "half sent", 0)
		w.becomes(t, p.ID, post.StatusArmed)
		w.terminate(t, workflows.PostID(p.ID))
		w.startDispatcher(t)
		w.becomes(t, p.ID, post.StatusPublished)
		w.isPublic(t, "half sent", 1)
	})
}

func TestDispatcherStartsPosts(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		before := w.write(t, post.Post{Text: "written before the crash", ScheduledAt: time.Now()})
		w.startDispatcher(t)
		w.becomes(t, before.ID, post.StatusPublished)
		after := w.write(t, post.Post{Text: "written while Temporal was down", ScheduledAt: time.Now()})
		w.becomes(t, after.ID, post.StatusPublished)
		require.Len(t, w.x.Tweets(), 2)
		w.holds(t, 2, 0)
	})
}

// With a busy worker, a command can arrive with the first workflow task.
func TestCommandToANewRunWaits(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.Forbidden, Times: 1})
		p := w.schedule(t, "patience", 0)
		failed := w.becomes(t, p.ID, post.StatusFailed)
		w.terminate(t, workflows.PostID(p.ID))
		w.stopWorker()
		retried := make(chan error, 1)
		go func() { retried <- w.runs.RetryPost(t.Context(), failed) }()
		eventually(t, func(c *assert.CollectT) {
			require.Len(c, w.found(t.Context(), c, `ExecutionStatus="Running"`), 1)
		})
		w.startWorker(t)
		require.NoError(t, <-retried)
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "patience", 2)
	})
}

// begun waits until the row names another run than the given one, and returns its ID.
func (w *world) begun(t *testing.T, id, other string) (runID string) {
	return once(t, w.db.Posts.Post, id, func(c *assert.CollectT, p post.Post) { require.NotContains(c, []string{"", other}, p.RunID) }).RunID
}

// Temporal's database sometimes reports a failure for a write that it stored. The server then repeats the work and
// reports an error to its caller.
// Proves: F6 in turn: sqlite postgres
func TestFalseWriteFailuresInTemporal(t *testing.T) {
	t.Parallel()
	program := buildDoubtful(t, testseed.Seed(t))
	for _, kind := range testdb.Either(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			options := serverOptions(t.TempDir())
			log := &transcript{}
			options.Bin, options.Logs = program, io.MultiWriter(logged, log)
			doubtful, err := launcher.Start(t.Context(), options)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, doubtful.Stop(context.Background())) })
			w := newWorld(t, doubtful, kind, longSend)
			w.startDispatcher(t) // starts runs whose start was reported as failed
			texts := w.postMany(t, 20)
			w.sellMany(t, 4)
			w.wentOutOnce(t, texts)
			require.True(t, log.holds("fault injection error"), "no failure was injected")
		})
	}
}

// buildDoubtful builds a Temporal server with injected failures, with the flags of make build to use the compiler's
// cache.
func buildDoubtful(t *testing.T, seed uint64) (program string) {
	program = filepath.Join(t.TempDir(), "temporald")
	set := "-s -w -X customerzero/internal/platform/temporal/temporald/node.faultsSeed=" + strconv.FormatUint(seed>>1, 10)
	build := exec.CommandContext(t.Context(), "go", "build", "-C", filepath.Join("..", "..", "internal", "platform", "temporal", "temporald"), "-trimpath", "-tags", "faults", "-ldflags", set, "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	return program
}

// postMany writes posts, edits some of them, and returns the possible texts of each.
func (w *world) postMany(t *testing.T, n int) (texts map[string][]string) {
	texts = map[string][]string{}
	for i := range n {
		p := w.write(t, post.Post{Text: fmt.Sprintf("number %d", i), ScheduledAt: time.Now().Add(time.Duration(i%4) * time.Second)})
		_, _ = w.runs.StartPost(t.Context(), p) // if it fails, the dispatcher does
		texts[p.ID] = []string{p.Text}
		if i%4 != 3 {
			continue
		}
		other := p.Text + ", edited"
		if w.runs.EditPost(t.Context(), p, workflows.EditCommand{Text: other}) == nil {
			texts[p.ID] = nil // an acknowledged edit takes effect
		}
		texts[p.ID] = append(texts[p.ID], other)
	}
	return texts
}

func (w *world) wentOutOnce(t *testing.T, texts map[string][]string) {
	for id, may := range texts {
		p := w.becomes(t, id, post.StatusPublished)
		require.Contains(t, may, p.Text)
		sent := 0
		for _, tweet := range w.x.Tweets() {
			if tweet.Text == p.Text {
				sent++
				require.Equal(t, tweet.ID, *p.TweetID)
			}
		}
		require.Equal(t, 1, sent, p.Text)
	}
	require.Len(t, w.x.Tweets(), len(texts))
	require.EqualValues(t, len(texts), w.sends.Load(), "calls that reached X")
	w.holds(t, len(texts), 0)
}

// sellMany sells memberships and verifies the members and e-mails.
func (w *world) sellMany(t *testing.T, n int) {
	var addresses []string
	for range n {
		p, r := w.newPerson(), w.wish(t)
		_ = w.runs.Quote(t.Context(), r.ID) // if it fails, the dispatcher does
		is := func(state checkout.State) checkout.Receipt {
			return once(t, w.db.Checkouts.Receipt, r.ID, func(c *assert.CollectT, now checkout.Receipt) { require.Equal(c, state, now.State) })
		}
		w.pay(t, is(checkout.Open), p.address)
		paid := is(checkout.Paid)
		m, err := w.db.Members.Account(t.Context(), *paid.MemberID, post.MonthOf(time.Now()))
		require.NoError(t, err)
		require.Equal(t, member.FoundingCredits, m.Credits)
		addresses = append(addresses, p.address)
	}
	for _, address := range addresses {
		// A worker that never received its task is detected when the task times out.
		eventually(t, func(c *assert.CollectT) { require.Len(c, w.subjects(address), 2, "a welcome and a receipt") })
		came := w.subjects(address)
		require.NotEqual(t, came[0], came[1])
	}
	require.Len(t, w.shop.stripe.Sessions(), n, "one page per buyer")
}

// subjects lists the subjects of the received e-mails to an address, copies included.
func (w *world) subjects(address string) (subjects []string) {
	for _, m := range w.mail.Messages() {
		if m.To[0] == address {
			subjects = append(subjects, slices.Repeat([]string{m.Subject}, m.Copies)...)
		}
	}
	return subjects
}
