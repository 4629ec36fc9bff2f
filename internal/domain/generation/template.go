package generation

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Templates write texts without a model. Their names are stored with the texts; changed sentences need a new
// number.
const (
	LongTemplate  = "template-1"
	BriefTemplate = "template-brief-1"
)

// Templates lists the names of all templates; the first is the default.
func Templates() []string { return []string{LongTemplate, BriefTemplate} }

// TemplateNames lists all names under which texts of templates are stored. The last two were used before
// version 3 of the schema.
func TemplateNames() []string { return append(Templates(), "builtin-1", "builtin-brief-1") }

// IsTemplate reports whether a writer is a template, not a model.
func IsTemplate(name string) bool { return slices.Contains(TemplateNames(), name) }

// template surrounds a topic; end is an optional last sentence.
type template struct{ before, after, end string }

// longTemplates by voice. They only state what is true of every post.
var longTemplates = map[string]template{
	"founder":     {"What we are thinking about today: ", ".", "Every post on this account has a public run."},
	"engineer":    {"Topic of the day: ", ".", "The run behind this post lists every step."},
	"storyteller": {"Someone asked us to write about ", ". So here we are.", "How this post was made is a story too: open its run."},
	"sceptic":     {"", "? Don't take anyone's word for it.", "Not even ours: open this post's run."},
	"celebrant":   {"A good day to talk about ", "!", "Thank you to everyone who shares this account."},
}

var briefTemplates = map[string]template{
	"founder":     {"We are on it: ", ".", ""},
	"engineer":    {"Subject: ", ".", ""},
	"storyteller": {"Once upon a time: ", ".", ""},
	"sceptic":     {"", ". Really?", ""},
	"celebrant":   {"Hooray: ", "!", ""},
}

// FillTemplate writes a text about a topic, with as many facts as fit.
func FillTemplate(name, voice, topic string, facts []Fact) End {
	byVoice := longTemplates
	if strings.Contains(name, "-brief-") {
		byVoice = briefTemplates
	}
	form, known := byVoice[voice]
	topic = strings.TrimRight(oneLine(topic), ".!?… ")
	if !known || topic == "" {
		return End{State: Failed, Code: problem.ModelTrouble, Reason: "A template needs a topic with a letter or a digit. Change the topic and generate again."}
	}
	return EndOf(form.fill(topic, facts))
}

func (f template) fill(topic string, facts []Fact) string {
	text := f.before + topic + f.after
	if post.Weight(text) > post.MaxWeight {
		runes := []rune(topic)
		fits := func(n int) bool { return post.Weight(f.shortened(runes[:n])) <= post.MaxWeight }
		text = f.shortened(runes[:sort.Search(len(runes), func(n int) bool { return !fits(n + 1) })])
	}
	for _, more := range append(slices.Clone(facts), Fact{Text: f.end}) {
		longer := strings.TrimRight(text+" "+oneLine(more.Text), " ")
		if post.Weight(longer) <= post.MaxWeight {
			text = longer
		}
	}
	return text
}

// shortened fills in the beginning of a topic and an ellipsis.
func (f template) shortened(topic []rune) string {
	return f.before + strings.TrimRight(string(topic), " ") + "…" + f.after
}

// oneLine replaces each run of white space and control characters by one space.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
