package deploy_test

import (
	"encoding/json"
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
		var d dashboard
		require.NoError(t, json.Unmarshal([]byte(read(t, file)), &d), file)
		all = append(all, d)
	}
	return all
}

func TestDashboardsAskTheChosenSource(t *testing.T) {
	t.Parallel()
	seen, chosen := map[string]bool{}, source{"prometheus", "${datasource}"}
	for _, d := range dashboards(t) {
		require.NotEmpty(t, d.Title)
		require.False(t, seen[d.UID], d.UID)
		seen[d.UID] = true
		require.GreaterOrEqual(t, d.Schema, 42)
		require.Equal(t, []struct{ Name, Type, Query string }{{"datasource", "datasource", "prometheus"}}, d.Templating.List)
		for _, p := range d.Panels {
			require.Equal(t, chosen, p.Datasource, p.Title)
			require.NotEmpty(t, p.Targets, p.Title)
			for _, target := range p.Targets {
				require.Equal(t, chosen, target.Datasource, p.Title)
				require.NotEmpty(t, target.Legend, p.Title)
				requireExported(t, target.Expr)
			}
		}
	}
}

// TestPanelsSayWhatTheyShowAndLieBesideEachOther: overlapping panels hide each other.
func TestPanelsSayWhatTheyShowAndLieBesideEachOther(t *testing.T) {
	t.Parallel()
	for _, d := range dashboards(t) {
		ids, titles, taken := map[int]bool{}, map[string]bool{}, map[[2]int]string{}
		for _, p := range d.Panels {
			require.False(t, ids[p.ID] || titles[p.Title], p.Title)
			ids[p.ID], titles[p.Title] = true, true
			require.NotEmpty(t, p.Title)
			require.NotEmpty(t, p.Description, p.Title)
			require.NotEmpty(t, p.Fields.Defaults.Unit, p.Title)
			require.LessOrEqual(t, p.Grid.X+p.Grid.W, 24, p.Title)
			for at := range p.Grid.W * p.Grid.H {
				place := [2]int{p.Grid.X + at%p.Grid.W, p.Grid.Y + at/p.Grid.W}
				require.Empty(t, taken[place], p.Title)
				taken[place] = p.Title
			}
		}
	}
}
