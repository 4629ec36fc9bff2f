package llm

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
	"unicode"

	"customerzero/internal/domain/post"
)

// order is what the tweet question tells.
type order struct {
	Topic string   `json:"topic"`
	Voice string   `json:"voice"`
	Style string   `json:"style"` // what the voice means; the templates know it by its name
	Facts []string `json:"facts"`
}

// template is a text around a topic: before it, after it, and after a fact.
type template struct{ before, after, end string }

// templates claim nothing that is not so of every post.
var templates = map[string]template{
	"founder":     {"What is on our minds today: ", ".", "Every post of ours is a run that anybody may open."},
	"engineer":    {"Topic of the day: ", ".", "What was done for this post, and in which order, stands in its run."},
	"storyteller": {"Somebody said to us: write about ", ". So here we are.", "How this post came about is a story of its own. It stands in its run."},
	"sceptic":     {"", "? We would not take anybody's word for it.", "Not ours either: open the run of this post and look."},
	"celebrant":   {"A good day to talk about ", "!", "Thank you to everybody who shares this account."},
}

// briefly are for who has less to say.
var briefly = map[string]template{
	"founder":     {"We are on it: ", ".", ""},
	"engineer":    {"Subject: ", ".", ""},
	"storyteller": {"Once upon a time: ", ".", ""},
	"sceptic":     {"", ". Really?", ""},
	"celebrant":   {"Hooray: ", "!", ""},
}

// write fills in a template: with the topic, and with as many facts as fit.
func (b builtinModel) write(input []byte) (string, error) {
	var o order
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&o) != nil {
		return "", b.unanswerable("it takes a topic, a voice and facts, and nothing else")
	}
	forms := templates
	if b.brief {
		forms = briefly
	}
	form, known := forms[o.Voice]
	topic := strings.TrimRight(oneLine(o.Topic), ".!?… ")
	if !known || topic == "" {
		return "", b.unanswerable("it needs a topic, and a voice that it knows")
	}
	return form.fill(topic, o.Facts), nil
}

func (f template) fill(topic string, facts []string) string {
	text := f.before + topic + f.after
	if post.Weight(text) > post.MaxWeight {
		runes := []rune(topic)
		fits := func(n int) bool { return post.Weight(f.around(runes[:n])) <= post.MaxWeight }
		text = f.around(runes[:sort.Search(len(runes), func(n int) bool { return !fits(n + 1) })])
	}
	for _, more := range append(facts[:len(facts):len(facts)], f.end) {
		longer := strings.TrimRight(text+" "+oneLine(more), " ")
		if post.Weight(longer) <= post.MaxWeight {
			text = longer
		}
	}
	return text
}

// around is a text about the beginning of a topic.
func (f template) around(topic []rune) string {
	return f.before + strings.TrimRight(string(topic), " ") + "…" + f.after
}

// oneLine makes every blank, and whatever cannot be seen, one plain blank.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
