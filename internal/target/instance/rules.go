package instance

import (
	"bytes"
	"encoding/json"
	"strings"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// bundle is the worker's file: its rules and checks of their results.
type bundle struct {
	About  string  `json:"about"`
	Rules  rules   `json:"rules"`
	Checks []check `json:"checks"`
}

type rules struct {
	MaxWeight    int `json:"maxWeight"`
	MonthlyPosts int `json:"monthlyPosts"`
	Newest       int `json:"newest"` // number of posts checked in a round
}

type check struct {
	Name    string  `json:"name"`
	Text    string  `json:"text"`
	Repeat  int     `json:"repeat"` // repetitions of the text; 0: 1
	Spent   int     `json:"spent"`  // posts already published in the month
	Verdict verdict `json:"verdict"`
}

type verdict string

const (
	goesOut   verdict = "goes_out"
	empty     verdict = "empty"
	tooLong   verdict = "too_long"
	monthFull verdict = "month_full"
)

// longestCheck limits the text of one check in bytes, because a damaged file may request any length.
const longestCheck = 64 << 10

// judge returns whether a text may be published after spent posts in the month.
func (r rules) judge(text string, spent int) verdict {
	switch {
	case strings.TrimSpace(text) == "":
		return empty
	case post.Weight(text) > r.MaxWeight:
		return tooLong
	case spent >= r.MonthlyPosts:
		return monthFull
	}
	return goesOut
}

// readBundle parses a bundle and runs its checks.
func readBundle(text []byte) (bundle, error) {
	var b bundle
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&b); err != nil {
		return b, problem.New(problem.Unavailable, "The rules of the worker cannot be read.")
	}
	return b, b.selfCheck()
}

func (b bundle) selfCheck() error {
	if len(b.Checks) == 0 || b.Rules.Newest < 1 || b.Rules.Newest > 100 {
		return problem.New(problem.Unavailable, "The rules of the worker are incomplete.")
	}
	for _, c := range b.Checks {
		if c.Repeat > longestCheck/max(len(c.Text), 1) {
			return problem.New(problem.Unavailable, "The rules of the worker contain a check that is too long.")
		}
		if got := b.Rules.judge(strings.Repeat(c.Text, max(c.Repeat, 1)), c.Spent); got != c.Verdict {
			return problem.New(problem.Unavailable, "The rules of the worker fail their check that %s.", c.Name)
		}
	}
	return nil
}
