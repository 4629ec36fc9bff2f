package httpapi

import (
	"bytes"
	"text/template"
	"unicode/utf8"
)

// Badge is a label with its current value.
type Badge struct{ Label, Value, Colour string }

// Colours of badges.
const (
	Green = "#2b8a3e"
	Amber = "#a66300"
	Red   = "#c92a2a"
	Grey  = "#5c636a"
)

// badgePicture repeats its text in a title, for screen readers.
var badgePicture = template.Must(template.New("badge").Parse(
	`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Whole}}" height="20" role="img" aria-labelledby="title">` +
		`<title id="title">{{.Label}}: {{.Value}}</title>` +
		`<rect width="{{.Whole}}" height="20" rx="3" fill="#343a40"/>` +
		`<path d="M{{.Left}} 0h{{.Edge}}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{{.Edge}}z" fill="{{.Colour}}"/>` +
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">` +
		`<text x="6" y="14" textLength="{{.LabelLength}}">{{.Label}}</text>` +
		`<text x="{{.ValueAt}}" y="14" textLength="{{.ValueLength}}">{{.Value}}</text></g></svg>` + "\n"))

// BadgeRequest identifies a badge by its file name.
type BadgeRequest struct {
	Name string `path:"name" doc:"File name of the badge"`
}

// BadgeReply is a badge as SVG.
type BadgeReply struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"` // set from the route table
	Body         []byte
}

// Reply draws the badge.
func (b Badge) Reply() (*BadgeReply, error) {
	picture, err := b.draw()
	return &BadgeReply{ContentType: "image/svg+xml", Body: picture}, err
}

// draw sets the width of each text, so that the layout does not depend on the font.
func (b Badge) draw() ([]byte, error) {
	const character, margin, round = 7, 6, 3
	label, value := character*utf8.RuneCountInString(b.Label), character*utf8.RuneCountInString(b.Value)
	left := label + 2*margin
	whole := left + value + 2*margin
	var picture bytes.Buffer
	err := badgePicture.Execute(&picture, map[string]any{
		"Label": b.Label, "Value": b.Value, "Colour": b.Colour, "Whole": whole, "Left": left, "Edge": whole - left - round,
		"LabelLength": label, "ValueAt": left + margin, "ValueLength": value,
	})
	return picture.Bytes(), err
}
