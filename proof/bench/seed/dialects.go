package seed

import (
	"fmt"
	"text/template"
)

// dialects are what the databases call the same things. i is the number of a row.
var dialects = map[string]func(now string) template.FuncMap{
	"postgres": func(now string) template.FuncMap {
		return template.FuncMap{
			"rows": func(from, until int) string { return fmt.Sprintf("generate_series(%d, %d - 1) AS s(i)", from, until) },
			"id": func(prefix, number string) string {
				return fmt.Sprintf("('%s' || lpad((%s)::text, 8, '0'))", prefix, number)
			},
			"ago": func(minutes string) string {
				return fmt.Sprintf("(timestamptz '%s+00' - (%s) * interval '1 minute')", now, minutes)
			},
			"month": func(column string) string { return fmt.Sprintf("to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM')", column) },
		}
	},
	"sqlite": func(now string) template.FuncMap {
		return template.FuncMap{
			"rows": func(from, until int) string {
				return fmt.Sprintf("(WITH RECURSIVE n(i) AS (SELECT %[1]d WHERE %[1]d < %[2]d UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %[2]d) SELECT i FROM n) AS s", from, until)
			},
			"id": func(prefix, number string) string {
				return fmt.Sprintf("('%s' || printf('%%08d', %s))", prefix, number)
			},
			"ago": func(minutes string) string {
				return fmt.Sprintf("strftime('%%Y-%%m-%%d %%H:%%M:%%S+00:00', '%s', printf('%%+d minutes', -(%s)))", now, minutes)
			},
			"month": func(column string) string { return fmt.Sprintf("substr(%s, 1, 7)", column) },
		}
	},
}
