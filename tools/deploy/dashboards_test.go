package deploy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

type source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type dashboard struct {
	UID        string `json:"uid"`
	Title      string `json:"title"`
	Schema     int    `json:"schemaVersion"`
	Templating struct {
		List []struct{ Name, Type, Query string }
	} `json:"templating"`
	Panels []struct {
		ID          int
		Type        string
		Title       string
		Description string
		Datasource  source
		Grid        struct{ X, Y, W, H int } `json:"gridPos"`
		Fields      struct {
			Defaults struct{ Unit string } `json:"defaults"`
		} `json:"fieldConfig"`
		Targets []struct {
			Datasource source
			Expr       string
			Legend     string `json:"legendFormat"`
			RefID      string
		}
	} `json:"panels"`
}

func dashboards(t *testing.T) []dashboard {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "deploy/grafana/dashboards/*.json"))
	require.NoError(t, err)
	require.Len(t, files, 2)
	var all []dashboard
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var d dashboard
		require.NoError(t, json.Unmarshal(text, &d), file)
		all = append(all, d)
	}
	return all
}

func TestDashboardsReadFromTheChosenSource(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range dashboards(t) {
		require.NotEmpty(t, d.Title)
		require.False(t, seen[d.UID], d.UID)
		seen[d.UID] = true
		require.GreaterOrEqual(t, d.Schema, 42)
		require.Len(t, d.Templating.List, 1)
		require.Equal(t, []string{"datasource", "datasource", "prometheus"},
			[]string{d.Templating.List[0].Name, d.Templating.List[0].Type, d.Templating.List[0].Query})
		for _, p := range d.Panels {
			require.Equal(t, source{"prometheus", "${datasource}"}, p.Datasource, p.Title)
			for _, target := range p.Targets {
				require.Equal(t, p.Datasource, target.Datasource, p.Title)
			}
		}
	}
}

func TestPanelsSayWhatTheyShow(t *testing.T) {
	t.Parallel()
	for _, d := range dashboards(t) {
		ids, titles := map[int]bool{}, map[string]bool{}
		for _, p := range d.Panels {
			require.False(t, ids[p.ID] || titles[p.Title], p.Title)
			ids[p.ID], titles[p.Title] = true, true
			require.NotEmpty(t, p.Title)
			require.NotEmpty(t, p.Description, p.Title)
			require.NotEmpty(t, p.Fields.Defaults.Unit, p.Title)
			require.NotEmpty(t, p.Targets, p.Title)
			require.LessOrEqual(t, p.Grid.X+p.Grid.W, 24, p.Title)
			for _, target := range p.Targets {
				require.NotEmpty(t, target.Legend, p.Title)
			}
		}
	}
}

// Two panels at one place hide each other.
func TestNoPanelLiesOnAnother(t *testing.T) {
	t.Parallel()
	for _, d := range dashboards(t) {
		taken := map[[2]int]string{}
		for _, p := range d.Panels {
			for x := p.Grid.X; x < p.Grid.X+p.Grid.W; x++ {
				for y := p.Grid.Y; y < p.Grid.Y+p.Grid.H; y++ {
					require.Empty(t, taken[[2]int{x, y}], p.Title)
					taken[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}

func TestPanelsAskForMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	for _, d := range dashboards(t) {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				requireExported(t, target.Expr)
			}
		}
	}
}
