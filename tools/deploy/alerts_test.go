package deploy_test

import (
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// alarms returns the alert rules by name, as Prometheus parses them.
func alarms(t *testing.T) map[string]rulefmt.Rule {
	t.Helper()
	groups, errs := rulefmt.ParseFile(filepath.Join(root, "deploy/prometheus/alerts.yml"), false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	require.Empty(t, errs)
	rules := map[string]rulefmt.Rule{}
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			require.NotEmpty(t, rule.Alert)
			require.NotContains(t, rules, rule.Alert)
			rules[rule.Alert] = rule
		}
	}
	require.Greater(t, len(rules), 15)
	return rules
}

func TestEveryAlarmSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for name, rule := range alarms(t) {
		require.Contains(t, []string{"page", "ticket"}, rule.Labels["severity"], name)
		require.NotEmpty(t, rule.Annotations["summary"], name)
		require.NotEmpty(t, rule.Annotations["description"], name)
		require.Equal(t, "docs/operations.md#"+strings.ToLower(name), rule.Annotations["runbook"], name)
	}
}

var heading = regexp.MustCompile(`(?m)^#+ +(.+?) *$`)

func TestEveryAlarmHasItsPlaceInTheRunbook(t *testing.T) {
	t.Parallel()
	text := read(t, root, "docs/operations.md")
	var anchors []string
	for _, title := range heading.FindAllStringSubmatch(text, -1) {
		anchors = append(anchors, strings.ToLower(strings.ReplaceAll(title[1], " ", "-")))
	}
	for name := range alarms(t) {
		require.Contains(t, anchors, strings.ToLower(name))
	}
}

// exported lists the metrics that the product's tests found, and those of Prometheus. Metrics of rows are the same in
// every process.
func exported(t *testing.T) (names, rows []string) {
	t.Helper()
	names = []string{"up", "process_resident_memory_bytes"}
	for _, file := range []string{"product.txt", "temporal.txt"} {
		text := read(t, root, "deploy/prometheus/metrics", file)
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			names = append(names, words[0])
			if words[len(words)-1] == "rows" {
				rows = append(rows, words[0])
			}
		}
	}
	return names, rows
}

// requireExported checks that an expression uses exported metrics only, and does not add up metrics of rows over
// processes, which would count everything twice.
func requireExported(t *testing.T, expr string) {
	t.Helper()
	known, rows := exported(t)
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	require.NoError(t, err, expr)
	selectors := 0
	parser.Inspect(parsed, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		selectors++
		name := selector.Name
		for _, part := range []string{"_bucket", "_sum", "_count"} { // the parts of a histogram
			name = strings.TrimSuffix(name, part)
		}
		require.Contains(t, known, name, expr)
		require.True(t, !slices.Contains(rows, name) || isExtremum(path), "%s is the same in every process: %s", name, expr)
		return nil
	})
	require.Positive(t, selectors, expr)
}

// isExtremum reports whether the innermost aggregation is max or min.
func isExtremum(path []parser.Node) bool {
	for _, node := range slices.Backward(path) {
		if aggregate, ok := node.(*parser.AggregateExpr); ok {
			return aggregate.Op == parser.MAX || aggregate.Op == parser.MIN
		}
	}
	return false
}

func TestAlarmsAskForMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	for _, rule := range alarms(t) {
		requireExported(t, rule.Expr)
	}
}
