package instance

import (
	"bytes"
	"encoding/json"
	"strings"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// bundle is the worker's file: the rules it goes by, and how they must judge.
type bundle struct {
	About  string  `json:"about"`
	Rules  rules   `json:"rules"`
	Checks []check `json:"checks"`
}

type rules struct {
	MaxWeight    int `json:"maxWeight"`
	MonthlyPosts int `json:"monthlyPosts"`
	Newest       int `json:"newest"` // how many posts are looked at in a round
}

type check struct {
	Name    string  `json:"name"`
	Text    string  `json:"text"`
	Repeat  int     `json:"repeat"` // the text, so often; 0: once
	Spent   int     `json:"spent"`  // places of the month
	Verdict verdict `json:"verdict"`
}

type verdict string

const (
	goesOut   verdict = "goes_out"
	empty     verdict = "empty"
	tooLong   verdict = "too_long"
	monthFull verdict = "month_full"
)

// longestCheck bounds the text of one check, in bytes: a damaged file asks for any number of them.
const longestCheck = 64 << 10

// judge reports whether a text goes out when so many places of the month are spent.
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

// readBundle reads a bundle and believes it only when its rules pass its own checks.
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
		return problem.New(problem.Unavailable, "The rules of the worker are not complete.")
	}
	for _, c := range b.Checks {
		if c.Repeat > longestCheck/max(len(c.Text), 1) {
			return problem.New(problem.Unavailable, "The rules of the worker hold a check that is too long.")
		}
		if got := b.Rules.judge(strings.Repeat(c.Text, max(c.Repeat, 1)), c.Spent); got != c.Verdict {
			return problem.New(problem.Unavailable, "The rules of the worker fail their check that %s.", c.Name)
		}
	}
	return nil
}
