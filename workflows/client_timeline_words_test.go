package workflows_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/domain/run"
	"customerzero/worker"
	"customerzero/workflows"
)

// register notes the names of workflows as a worker would know them.
type register struct {
	sdkworker.WorkflowRegistry
	names []string
}

func (r *register) RegisterWorkflow(flow any) {
	name := runtime.FuncForPC(reflect.ValueOf(flow).Pointer()).Name()
	r.names = append(r.names, name[strings.LastIndex(name, ".")+1:])
}

func (r *register) RegisterWorkflowWithOptions(_ any, options workflow.RegisterOptions) {
	r.names = append(r.names, options.Name)
}

// A new flow is told of in public from its first day, or not at all on purpose.
func TestEveryFlowAndStepHasWordsForStrangers(t *testing.T) {
	t.Parallel()

	t.Run("workflows", func(t *testing.T) {
		t.Parallel()
		all := &register{}
		workflows.Register(all)
		require.Greater(t, len(all.names), 20)
		words := map[string]string{}
		for _, name := range all.names {
			flow, known := run.Of(name)
			require.True(t, known, "internal/domain/run says nothing of %s", name)
			for _, text := range []string{flow.Word, flow.Title, flow.Says} {
				require.NotEmpty(t, text, name)
			}
			require.Empty(t, words[flow.Word], "two flows have the word %s", flow.Word)
			words[flow.Word] = name
			found, _ := run.Named(flow.Word)
			require.Equal(t, flow.Title, found.Title)
		}
	})

	t.Run("activities", func(t *testing.T) {
		t.Parallel()
		all := activityNames()
		require.Greater(t, len(all), 70)
		for _, name := range all {
			told, known := run.Activity(name)
			require.True(t, known, "internal/domain/run says nothing of %s", name)
			require.NotEmpty(t, told.Title, name)
		}
	})

	t.Run("signals and updates", func(t *testing.T) {
		t.Parallel()
		all := messages(t)
		require.Greater(t, len(all), 12)
		for constant, name := range all {
			require.True(t, heard(name, strings.HasPrefix(constant, "Update")), "internal/domain/run says nothing of %s", constant)
		}
	})
}

// activityNames are the methods of all structs that a worker registers.
func activityNames() []string {
	var names []string
	structs := reflect.TypeFor[worker.Activities]()
	for i := range structs.NumField() {
		for method := range structs.Field(i).Type.NumMethod() {
			names = append(names, structs.Field(i).Type.Method(method).Name)
		}
	}
	return names
}

// messages reads the names of signals and updates out of the code: Go cannot list constants.
func messages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := map[string]string{}
	for _, path := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			value, ok := spec.Values[0].(*ast.BasicLit)
			name := spec.Names[0].Name
			if ok && (strings.HasPrefix(name, "Signal") || strings.HasPrefix(name, "Update")) {
				found[name], err = strconv.Unquote(value.Value)
				require.NoError(t, err)
			}
			return true
		})
	}
	return found
}

func heard(name string, update bool) bool {
	all := &register{}
	workflows.Register(all)
	for _, workflow := range all.names {
		flow, _ := run.Of(workflow)
		_, signal := flow.Signals[name]
		_, ordered := flow.Updates[name]
		if signal && !update || ordered && update {
			return true
		}
	}
	return false
}
