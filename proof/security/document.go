package security

import (
	"fmt"
	"strings"
)

const head = `# Security: the checklist, and what holds it

<!-- Printed from proof/security: go test ./proof/security -update -->

The numbers are those of OWASP's Application Security Verification Standard 5.0.0, of its list for models (LLM), or a word of our
own; what they ask is told in our words. Each line names the tests that hold it: a test of the list fails when one of them is gone.
What tests break and what must hold then stands in [faults.md](faults.md), keys and their rotation in [operations.md](operations.md).

`

const tail = `## What we depend on

` + "`make audit`" + ` asks two databases what is known of our dependencies: ` + "`govulncheck`" + ` (pinned in ` + "`tools/audit`" + `) asks vuln.go.dev about the
product, the Temporal server and the proxy, as far as their code can be reached; ` + "`npm audit`" + ` asks npm's registry about what the
pages are built with. It ends with

- 0 and "nothing is known" when both answered so;
- 1 when something is known, which is shown;
- 0 and **"not checked"**, by name, when a database does not answer. That is no good news: it claims nothing.

` + "`make test`" + ` runs it, too. **Where this was built neither database answers** (vuln.go.dev has no address there, the registry refuses the
question with 405), so the log of CI says "not checked", and no version of this repository has been held against either. Run it on a machine
with the internet before you deploy, and then once a week. What needs no database is checked everywhere: every module and package
against the digest that was recorded for it.
`

// Document is docs/security.md.
func Document() string {
	var b strings.Builder
	b.WriteString(head)
	for _, topic := range Topics() {
		fmt.Fprintf(&b, "## %s\n\n| Line | What is asked | What we do | Held by |\n| --- | --- | --- | --- |\n", topic.Name)
		for _, line := range topic.Lines {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", line.Number, line.Asks, line.Does, held(line))
		}
		b.WriteString("\n")
	}
	b.WriteString("## Where we do otherwise\n\n")
	for _, topic := range Topics() {
		for _, line := range topic.Lines {
			if line.Differs != "" {
				fmt.Fprintf(&b, "- **%s** (%s): %s\n", line.Number, line.Asks, line.Differs)
			}
		}
	}
	b.WriteString("\n" + tail)
	return b.String()
}

// held names the tests, those of one package together.
func held(line Line) string {
	var b strings.Builder
	last := ""
	for _, p := range line.Proofs {
		switch {
		case p.Package != last && last != "":
			b.WriteString("; `" + p.Package + "`: ")
		case last == "":
			b.WriteString("`" + p.Package + "`: ")
		default:
			b.WriteString(", ")
		}
		last = p.Package
		b.WriteString(p.Test)
	}
	return b.String()
}
