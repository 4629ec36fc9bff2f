package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Setting is one line of the documentation, or of doctor's report.
type Setting struct {
	Name, Default, Doc string
	Secret             bool
	Value              string // for a secret only "set" or "unset"
}

// Settings describes the configuration, field by field.
func (c Config) Settings() []Setting {
	var settings []Setting
	values := reflect.ValueOf(c)
	for i := range values.NumField() {
		field := values.Type().Field(i)
		s := Setting{
			Name: field.Tag.Get("env"), Default: field.Tag.Get("envDefault"),
			Doc: field.Tag.Get("doc"), Secret: field.Tag.Get("secret") == "true",
			Value: fmt.Sprint(values.Field(i).Interface()),
		}
		if s.Secret {
			s.Value = "set"
			if values.Field(i).IsZero() {
				s.Value = "unset"
			}
		}
		settings = append(settings, s)
	}
	return settings
}

// Example is the text of .env.example.
func Example() string {
	var b strings.Builder
	b.WriteString("# Every setting, with its default. None is needed on a laptop.\n# Made by: make gen\n#\n# " + secretsInFiles("") + "\n")
	for _, s := range (Config{}).Settings() {
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", s.Doc, s.Name, s.Default)
	}
	return b.String()
}

// Table is the README's table of settings, in Markdown.
func Table() string {
	var b strings.Builder
	b.WriteString(secretsInFiles("`") + "\n\n| setting | default | what it is |\n| --- | --- | --- |\n")
	for _, s := range (Config{}).Settings() {
		value := ""
		if s.Default != "" {
			value = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, value, s.Doc)
	}
	return b.String()
}

// secretsInFiles is said once, and not with every secret.
func secretsInFiles(quote string) string {
	var names []string
	for _, s := range (Config{}).Settings() {
		if s.Secret {
			names = append(names, quote+s.Name+quote)
		}
	}
	last := len(names) - 1
	return fmt.Sprintf("A secret may lie in a file: %sNAME%s=path%s in place of %sNAME%s. Secrets are %s and %s.",
		quote, FileSuffix, quote, quote, quote, strings.Join(names[:last], ", "), names[last])
}
