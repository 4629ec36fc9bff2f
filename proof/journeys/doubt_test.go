package journeys_test

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
	"customerzero/internal/store/testdb"
	"customerzero/workflows"
)

// Temporal's own database says now and then that it could not write what it has written. Then the
// server does again what was done, and whoever asked it is told that nothing was.
// Proves: F6 in turn: sqlite postgres
func TestNothingHappensTwiceWhenTemporalIsToldThatItDidNot(t *testing.T) {
	t.Parallel()
	program := buildDoubtful(t, testseed.Seed(t))
	for _, kind := range testdb.Either(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			options := serverOptions(t.TempDir())
			heard := &transcript{}
			options.Bin, options.Logs = program, io.MultiWriter(said, heard)
			doubtful, err := launcher.Supervise(t.Context(), options, nil)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, doubtful.Stop(context.Background())) })
			w := newWorld(t, doubtful, kind, patient)
			w.startStarter(t) // what was begun, and could not be said to be, has a run all the same
			texts := w.postMany(t, 20)
			w.sellMany(t, 4)
			w.wentOutOnce(t, texts)
			require.True(t, heard.holds("fault injection error"), "the server was never told so, and nothing was tried")
		})
	}
}

// buildDoubtful builds a Temporal server that is told so, with the flags of make build: almost all
// of it is in the compiler's cache.
func buildDoubtful(t *testing.T, seed uint64) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "temporald")
	set := "-s -w -X customerzero/internal/platform/temporal/temporald/node.faultsSeed=" + strconv.FormatUint(seed>>1, 10)
	build := exec.CommandContext(t.Context(), "go", "build", "-C", filepath.Join("..", "..", "internal", "platform", "temporal", "temporald"), "-trimpath", "-tags", "faults", "-ldflags", set, "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	said, err := build.CombinedOutput()
	require.NoError(t, err, string(said))
	return program
}

// postMany writes posts, of which some are edited before their time, and gives what each may say.
func (w *world) postMany(t *testing.T, n int) (texts map[string][]string) {
	t.Helper()
	texts = map[string][]string{}
	for i := range n {
		p := w.write(t, post.Post{Text: fmt.Sprintf("number %d", i), ScheduledAt: time.Now().Add(time.Duration(i%4) * time.Second)})
		_, _ = w.runs.StartPost(t.Context(), p) // else the starter does
		texts[p.ID] = []string{p.Text}
		if i%4 != 3 {
			continue
		}
		other := p.Text + ", edited"
		if w.runs.EditPost(t.Context(), p, workflows.EditOrder{Text: other}) == nil {
			texts[p.ID] = nil // who was told that it was done sees that it was
		}
		texts[p.ID] = append(texts[p.ID], other)
	}
	return texts
}

// wentOutOnce sees that every post is on the timeline, once.
func (w *world) wentOutOnce(t *testing.T, texts map[string][]string) {
	t.Helper()
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

// sellMany sells memberships, and sees that each is one.
func (w *world) sellMany(t *testing.T, n int) {
	t.Helper()
	var addresses []string
	for range n {
		p, r := w.newPerson(), w.wish(t)
		_ = w.runs.Quote(t.Context(), r.ID) // else the starter does
		eventually(t, func(c *assert.CollectT) {
			now, err := w.db.Checkouts.Receipt(t.Context(), r.ID)
			require.NoError(c, err)
			require.Equal(c, checkout.Open, now.State)
		})
		w.pay(t, w.receipt(t, r.ID), p.address)
		var paid checkout.Receipt
		eventually(t, func(c *assert.CollectT) {
			var err error
			paid, err = w.db.Checkouts.Receipt(t.Context(), r.ID)
			require.NoError(c, err)
			require.Equal(c, checkout.Paid, paid.State)
		})
		m, err := w.db.Members.Account(t.Context(), *paid.MemberID, post.MonthOf(time.Now()))
		require.NoError(t, err)
		require.Equal(t, member.FoundingCredits, m.Credits)
		addresses = append(addresses, p.address)
	}
	for _, address := range addresses { // the starter sends them on
		// A worker that never heard of its letter is missed when its time for one is over.
		require.EventuallyWithT(t, func(c *assert.CollectT) { require.Len(c, w.subjects(address), 2, "a welcome and a receipt") }, patience, 20*time.Millisecond)
		came := w.subjects(address)
		require.NotEqual(t, came[0], came[1])
	}
	require.Len(t, w.shop.stripe.Sessions(), n, "each was shown one page")
}

// subjects are of the e-mails that came to an address, each as often as it came.
func (w *world) subjects(address string) (subjects []string) {
	for _, m := range w.mail.Messages() {
		if m.To[0] == address {
			subjects = append(subjects, slices.Repeat([]string{m.Subject}, m.Copies)...)
		}
	}
	return subjects
}
