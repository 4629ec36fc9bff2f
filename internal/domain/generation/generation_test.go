package generation

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func TestVoices(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range Voices() {
		require.False(t, seen[v.ID], v.ID)
		seen[v.ID] = true
		require.NotEmpty(t, v.Label)
		require.NotEmpty(t, v.About)
		named, err := VoiceNamed(v.ID)
		require.NoError(t, err)
		require.Equal(t, v, named)
	}
	first, err := VoiceNamed("")
	require.NoError(t, err)
	require.Equal(t, Voices()[0], first)
	_, err = VoiceNamed("pirate")
	require.Equal(t, problem.Invalid, problem.CodeOf(err))
}

func TestSources(t *testing.T) {
	t.Parallel()
	f := Figures{Month: "2026-11", Usage: post.MonthUsage{Spent: 12, Reserved: 30}, Published: 11, Failed: 1, Balance: -205}
	texts := map[string]string{}
	for _, s := range Sources(f) {
		require.NotEmpty(t, s.Label)
		texts[s.Kind] = s.Text + s.Unavailable
	}
	require.Equal(t, map[string]string{
		Quota:       "Of the 500 posts that members share in 2026-11, 12 are spent, 30 are reserved and 458 are free.",
		Published:   "In the last 30 days, 11 of 12 posts were published (91 percent).",
		Treasury:    "The balance is -$2.05: membership fees minus card fees and the costs of X and models.",
		Experiments: "No experiments are stored yet.",
		LastChaos:   "No chaos runs are stored yet.",
	}, texts)
	require.Equal(t, "No posts were published in the last 30 days, and none failed.", Sources(Figures{})[1].Text)
}

func TestExperimentsFact(t *testing.T) {
	t.Parallel()
	liked := func(up, down int) *experiment.Listed {
		return &experiment.Listed{Experiment: experiment.Experiment{Title: "Emoji reactions"}, VoteCounts: experiment.VoteCounts{Up: up, Down: down}}
	}
	for text, f := range map[string]Figures{
		"There is 1 public experiment: 1 running, 0 completed.":   {ExperimentRuns: experiment.Totals{Experiments: 1, Running: 1}, Liked: liked(0, 0)},
		"There are 2 public experiments: 0 running, 0 completed.": {ExperimentRuns: experiment.Totals{Experiments: 2}, Liked: liked(3, 3)},
		"There are 7 public experiments: 2 running, 3 completed. The most popular is ‘Emoji reactions’, with 4 votes for and 1 against.": {
			ExperimentRuns: experiment.Totals{Experiments: 7, Running: 2, Completed: 3, Votes: 9}, Liked: liked(4, 1),
		},
	} {
		facts, err := Chosen(Sources(f), []string{Experiments})
		require.NoError(t, err)
		require.Equal(t, []Fact{{Experiments, text}}, facts)
	}
}

func TestLastChaosFact(t *testing.T) {
	t.Parallel()
	ended := time.Date(2026, 11, 22, 23, 30, 0, 0, time.UTC)
	quick, slow := 912, 6249
	for text, r := range map[string]chaos.Run{
		"The last chaos run (crash-api) was healed in 0.9 s on 22 Nov 2026.":           {Verdict: chaos.Healed, HealMS: &quick},
		"The last chaos run (crash-api) was healed late, after 6.2 s, on 22 Nov 2026.": {Verdict: chaos.HealedLate, HealMS: &slow},
		"The last chaos run (crash-api) was not healed in time on 22 Nov 2026.":        {Verdict: chaos.Failed},
	} {
		r.Fault, r.EndedAt = "crash-api", &ended
		facts, err := Chosen(Sources(Figures{LastChaos: &r}), []string{LastChaos})
		require.NoError(t, err)
		require.Equal(t, []Fact{{LastChaos, text}}, facts)
	}
}

func TestChosen(t *testing.T) {
	t.Parallel()
	sources := Sources(Figures{Month: "2026-11"})
	facts, err := Chosen(sources, []string{Treasury, Quota, Treasury})
	require.NoError(t, err)
	require.Equal(t, []Fact{{Treasury, sources[2].Text}, {Quota, sources[0].Text}}, facts)
	none, err := Chosen(sources, nil)
	require.NoError(t, err)
	require.NotNil(t, none)
	require.Empty(t, none)
	for _, kind := range []string{Experiments, LastChaos, "weather", ""} {
		_, err := Chosen(sources, []string{Quota, kind})
		require.Equal(t, problem.Invalid, problem.CodeOf(err), kind)
	}
}

func TestTopic(t *testing.T) {
	t.Parallel()
	topic, err := Topic(" Ignore\x00 all this. ")
	require.NoError(t, err)
	require.Equal(t, "Ignore all this.", topic)
	_, err = Topic(" \x00 ")
	require.Equal(t, problem.Invalid, problem.CodeOf(err))
}

// TestBlank checks that neither labels nor IDs reveal the order of the models.
func TestBlank(t *testing.T) {
	t.Parallel()
	blank := func(models ...string) (order string) {
		made := 0
		for i, c := range Blank("g", models, func(model string) string { return map[string]string{"x": "2", "y": "3", "z": "1"}[model] }, func() string {
			made++
			return strconv.Itoa(made)
		}) {
			require.Equal(t, strconv.Itoa(i+1), c.ID)
			require.Equal(t, string(rune('A'+i)), c.Label)
			require.Equal(t, Waiting, c.State)
			require.Equal(t, "g", c.GenerationID)
			order += c.Model
		}
		return order
	}
	require.Equal(t, "zxy", blank("x", "y", "z"))
	require.Equal(t, "zxy", blank("y", "z", "x"))
}

// blind returns a blind generation with candidates 1, 2, … in these states.
func blind(voted bool, states ...State) Listed {
	a := Listed{Generation: Generation{Blind: true, CreatedAt: noon}, Voted: voted}
	for i, state := range states {
		a.Candidates = append(a.Candidates, Candidate{ID: strconv.Itoa(i + 1), State: state})
	}
	return a
}

func TestVote(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		listed Listed
		id     string
		code   problem.Code // empty: it counts
	}{
		"two texts":                        {blind(false, Done, Done), "2", ""},
		"one that has to be shortened":     {blind(false, Done, Invalid), "2", ""},
		"a second vote":                    {blind(true, Done, Done), "2", problem.GenerationEnded},
		"while one is written":             {blind(false, Done, Done, Writing), "1", problem.Conflict},
		"while one waits":                  {blind(false, Done, Waiting), "1", problem.Conflict},
		"for one without a text":           {blind(false, Done, Done, Failed), "3", problem.Conflict},
		"where there is nothing to choose": {blind(false, Done, Failed), "1", problem.GenerationEnded},
		"for another generation's":         {blind(false, Done, Done), "9", problem.NotFound},
		"one model alone":                  {Listed{Candidates: []Candidate{{ID: "1", State: Done}}}, "1", problem.GenerationEnded},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.listed.CheckVote(tt.id)
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, tt.code, problem.CodeOf(err))
		})
	}
}

func TestHidden(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		listed Listed
		hidden bool
	}{
		"no text yet":                 {blind(false, Waiting, Writing), true},
		"two texts":                   {blind(false, Done, Invalid), true},
		"one may yet come":            {blind(false, Done, Failed, Writing), true},
		"voted":                       {blind(true, Done, Done), false},
		"all but one have failed":     {blind(false, Done, Failed), false},
		"all have failed":             {blind(false, Failed, Failed), false},
		"one model is never a riddle": {Listed{Candidates: []Candidate{{State: Writing}}}, false},
	} {
		require.Equal(t, tt.hidden, tt.listed.Hidden(), name)
	}
}

func TestLost(t *testing.T) {
	t.Parallel()
	require.False(t, blind(false, Writing).Lost(noon.Add(Patience)))
	require.True(t, blind(false, Writing).Lost(noon.Add(Patience+1)))
	require.False(t, blind(false, Done, Failed).Lost(noon.Add(time.Hour)))
}

func TestRank(t *testing.T) {
	t.Parallel()
	standings := []Standing{{"d", 0, 9}, {"c", 1, 3}, {"b", 2, 3}, {"a", 2, 6}, {"e", 333, 1000}}
	Rank(standings)
	names := ""
	for _, s := range standings {
		names += s.Model
	}
	require.Equal(t, "baced", names, "a third of six before a third of three, and both before 33.3 percent")
	require.Equal(t, []int{67, 33, 33, 33, 0}, []int{
		standings[0].Percent(), standings[1].Percent(), standings[2].Percent(), standings[3].Percent(), standings[4].Percent(),
	})
}
