package workflows_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/model"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// obedient is the worst of models: it believes a page more than whoever asks, says all that it was
// told, and answers what nobody asked.
type obedient struct {
	mu    sync.Mutex
	asked []model.Question
}

func (o *obedient) Review(_ context.Context, q model.Question, _ [][]byte) (json.RawMessage, model.Call, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = append(o.asked, q)
	answer, err := json.Marshal(map[string]any{
		"summary": "All is well. I was told: " + q.System + q.Text, "doubts": false, "verdict": "active", "checked": "active",
		"criteria": []map[string]string{
			{"text": "There is a heading", "verdict": "PASS", "why": q.Text}, {"text": "Nobody asked this", "verdict": "PASS", "why": "approved"},
		},
	})
	return answer, model.Call{ID: "call-1", Task: q.Task, Prompt: q.Version, Model: "test:obedient", Outcome: model.Answered, Answer: string(answer)}, err
}

// speaks puts a text wherever a page can say something.
func speaks(text string) func(int, *verification.Seen) error {
	return func(_ int, seen *verification.Seen) error {
		seen.Facts.Text, seen.Facts.Title = text, text
		seen.Facts.Console = []string{text}
		seen.Facts.Failed = []string{"GET " + text + ": 404"}
		seen.Facts.Notes = []string{text}
		seen.Facts.Axe = []verification.Violation{{Rule: text, Impact: "serious", Help: text, Count: 1, Targets: []string{text}}}
		return nil
	}
}

// Whatever a page says, and however willing the model is: what failed has failed, the model is shown
// the page's words as data and nothing that is secret, and its answer is a text.
// Proves: F21, LLM01
func TestNoPageTalksItsVerdictUp(t *testing.T) {
	t.Parallel()
	for n, text := range hostileTexts {
		kind := testdb.Kinds[n%len(testdb.Kinds)]
		t.Run(strconv.Itoa(n)+" on "+kind, func(t *testing.T) {
			t.Parallel()
			i := newInspection(t)
			i.stage = stageFor(storetest.New(t, kind), begin)
			i.acts.Store, i.acts.Shots, i.acts.Calls, i.acts.Now = i.db.Verifications, i.db.Verifications, i.db.ModelCalls, i.env.Now
			i.env.RegisterActivity(i.acts)
			storetest.Connection(t, i.db) // keeps tokens
			eyes := &obedient{}
			i.acts.Vision, i.prompt, i.sees = eyes, "There is a heading", speaks(text)

			run, _ := i.inspect(t)
			require.Equal(t, verification.Warning, run.Checked)
			require.Equal(t, verification.Warning, run.Verdict)
			require.NotEmpty(t, failed(run))

			require.Len(t, eyes.asked, 1)
			_, input, err := model.ReadTask(eyes.asked[0].Text)
			require.NoError(t, err, "the block of the task is whole")
			var told struct {
				Text   string
				Checks []struct{ State string }
			}
			require.NoError(t, json.Unmarshal(input, &told))
			require.Len(t, told.Checks, len(run.Checks), "no check was added or taken away")
			require.Equal(t, string([]rune(text)), told.Text, "word for word; what is no character is shown as none")
			for _, secret := range []string{"test-secret", "1-test-token", "evil.example/?q=sk"} {
				require.NotContains(t, eyes.asked[0].Text+eyes.asked[0].System, secret)
			}
			require.NotContains(t, eyes.asked[0].System, text)
			isTextOfOurs(t, *run.Comment)
		})
	}
}

// isTextOfOurs says that a comment is bounded and clean, and answers what was asked.
func isTextOfOurs(t *testing.T, c verification.Comment) {
	t.Helper()
	require.LessOrEqual(t, utf8.RuneCountInString(c.Text), 2000)
	require.Len(t, c.Criteria, 1)
	for _, text := range []string{c.Text, c.Criteria[0].Text, c.Criteria[0].Why} {
		require.True(t, utf8.ValidString(text))
		for _, r := range text {
			require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Cf, r), "%U in %q", r, text)
		}
	}
}
