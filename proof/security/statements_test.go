package security

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// worded are the methods whose first argument is part of a statement.
var worded = []string{
	"Where", "Or", "Not", "Having", "Order", "Group", "Select", "Omit", "Joins", "Table", "Pluck", "Distinct", "Raw", "Exec", "Expr",
	"ExecContext", "QueryContext", "QueryRowContext", "Prepare", "PrepareContext", "InnerJoins",
}

// elsewhere are packages that have functions of these names and build no statement.
var elsewhere = map[string]bool{"cmp": true, "errors": true}

// putTogether are the places that assemble a statement, and what they assemble it from.
var putTogether = map[string]string{
	"internal/store/accounts.go oneAccount":          "its two callers give a constant",
	"internal/store/baselines.go NoteBrowser":        "two constant lists of columns",
	"internal/store/checkouts.go Checkouts":          "two constant orders",
	"internal/store/deletions_erase.go do":           "a loop over the constants of its callers",
	"internal/store/deletions_export.go rows":        "every caller gives constants",
	"internal/store/deletions_names.go eraseLetters": "two constants",
	"internal/store/deletions_names.go eraseNames":   "a constant list of tables",
	"internal/store/diagnoses.go oneDiagnosis":       "its two callers give a constant",
	"internal/store/dump.go Pictures":                "a constant for each database",
	"internal/store/dump_rows.go writeRows":          "table and column names from the database itself, quoted",
	"internal/store/dump_tables.go tablesOf":         "a constant for each database",
	"internal/store/dump_tables.go versionOf":        "a constant for each database",
	"internal/store/experiments_list.go Experiments": "a constant list of orders; the API rejects others",
	"internal/store/stats.go waitingOf":              "every caller names a column",
	"internal/store/load.go exec":                    "table and column names from the database itself, quoted",
	"internal/store/posts_list.go merged":            "three constant orders and constant parts",
	"internal/store/posts_list.go page":              "three constant orders",
	"internal/store/providerkeys.go oneKeys":         "its callers give constants",
	"internal/store/pgretry/conn.go ExecContext":     "passes its argument on",
	"internal/store/pgretry/conn.go QueryContext":    "passes its argument on",
	"internal/store/testdb/testdb.go Copy":           "for tests only: the name of a database, which it has just created",
	"internal/store/testdb/testdb.go create":         "for tests only: names of databases that it invents",
	"internal/store/tidy.go Tidy":                    "a constant list of tables, keys and expiry columns",
}

// Proves: V1.2.4
func TestV1_2_4_StatementsAreConstants(t *testing.T) {
	t.Parallel()
	all := sourcesOf(t, "internal/store")
	known := constants(all)
	var found []string
	for _, s := range all {
		s.inside(func(place string, node ast.Node) {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(worded, method.Sel.Name) || elsewhere[nameOf(method.X)] {
				return
			}
			for _, argument := range wording(method.Sel.Name, call.Args) {
				if !constant(argument, known) {
					found = append(found, place)
				}
			}
		})
	}
	excused(t, found, putTogether)
}

// wording gives the arguments that are part of the statement. Some methods take a context first.
func wording(method string, args []ast.Expr) []ast.Expr {
	if strings.HasSuffix(method, "Context") && len(args) > 0 {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	return args[:1]
}

// constants gives the names of the package's constants.
func constants(all []source) map[string]bool {
	known := map[string]bool{}
	for _, s := range all {
		ast.Inspect(s.tree, func(node ast.Node) bool {
			if group, ok := node.(*ast.GenDecl); ok && group.Tok == token.CONST {
				for _, spec := range group.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						known[name.Name] = true
					}
				}
			}
			return true
		})
	}
	return known
}

func constant(e ast.Expr, known map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.ParenExpr:
		return constant(e.X, known)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && constant(e.X, known) && constant(e.Y, known)
	case *ast.Ident:
		return known[e.Name]
	case *ast.CallExpr: // the day of a column, for either database; a constant of a type of its own
		return slices.Contains([]string{"s.day", "string"}, nameOf(e.Fun)) && constant(e.Args[0], known)
	case *ast.UnaryExpr: // a struct whose fields are the conditions
		_, row := e.X.(*ast.CompositeLit)
		return e.Op == token.AND && row
	case *ast.CompositeLit:
		return nameOf(e.Type) == "clause.Expr" && slices.ContainsFunc(e.Elts, func(field ast.Expr) bool {
			pair, ok := field.(*ast.KeyValueExpr)
			return ok && nameOf(pair.Key) == "SQL" && constant(pair.Value, known)
		})
	}
	return false
}

// losing are the methods that skip false, zero or null values, or read before they write.
var losing = []string{"First", "Last", "FirstOrCreate", "FirstOrInit", "Save", "Assign", "Attrs"}

// TestChangesNameTheirColumns finds rows that are written without naming their columns: GORM skips columns that are false,
// zero or null.
// Proves: S-zero-values
func TestChangesNameTheirColumns(t *testing.T) {
	t.Parallel()
	var found []string
	for _, s := range sourcesOf(t, "internal/store") {
		s.inside(func(place string, node ast.Node) {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return
			}
			if slices.Contains(losing, method.Sel.Name) || method.Sel.Name == "Updates" && !selected(method.X) && !isMap(call.Args[0]) {
				found = append(found, place)
			}
		})
	}
	excused(t, found, map[string]string{
		"internal/store/diagnoses.go MoveDiagnosis": "a map of columns",
		"internal/store/tidy.go Tidy":               "a map of columns",
		"internal/store/visitors.go forgetVisitor":  "a map of columns",
	})
}

// selected says whether an earlier call of the chain names the columns.
func selected(chain ast.Expr) bool {
	call, ok := chain.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (method.Sel.Name == "Select" || selected(method.X))
}

func isMap(e ast.Expr) bool {
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	_, ok = literal.Type.(*ast.MapType)
	return ok
}
