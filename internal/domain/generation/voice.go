package generation

import (
	"cmp"

	"customerzero/internal/domain/problem"
)

// Voice is a way of telling things.
type Voice struct {
	ID    string
	Label string // for people who choose
	About string // for people, and for the model: how somebody with this voice writes
}

var voices = []Voice{
	{"founder", "Founder", "First person plural, plain and direct: what we do, what it costs us, and what comes next."},
	{"engineer", "Engineer", "Dry and precise: what happens, in which order, and what is done when it fails."},
	{"storyteller", "Storyteller", "A small scene: somebody wants something, something is in the way, and then it ends."},
	{"sceptic", "Sceptic", "Doubts the big claims, our own included, and asks the question that others avoid."},
	{"celebrant", "Celebrant", "Warm and glad about small things that went well, without superlatives."},
}

// Voices lists the voices to choose from. The first speaks where nobody says which.
func Voices() []Voice { return voices }

// VoiceNamed finds a voice; an empty ID is the first. Its error is a problem of the code
// Invalid that names the field.
func VoiceNamed(id string) (Voice, error) {
	id = cmp.Or(id, voices[0].ID)
	for _, v := range voices {
		if v.ID == id {
			return v, nil
		}
	}
	return Voice{}, unknown("voice", "There is no such voice. Choose one of those that listModels names.")
}

func unknown(field, message string) error {
	return &problem.Error{
		Code: problem.Invalid, Message: message, Details: []problem.Detail{{Field: "body." + field, Reason: "it is none of the list"}},
	}
}
