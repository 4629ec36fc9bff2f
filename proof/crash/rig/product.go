package rig

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"customerzero/internal/platform/keyring"
	"customerzero/internal/platform/ports"
	"customerzero/proof/cluster"
)

// StartProduct starts the product, which lives until the stage is closed: an API and a worker,
// or a whole cluster. The settings are those beside our own.
func (s *Stage) StartProduct(ctx context.Context, settings ...string) error {
	secretKeys, err := keyring.New("crash")
	if err != nil {
		return err
	}
	settings = append([]string{"ADMIN_KEY=" + adminKey, "SECRET_KEYS=" + secretKeys, "CHAOS_TARGET_KEY=crash-chaos-target-key"}, settings...)
	if s.Kind == Cluster {
		return s.startCluster(ctx, settings)
	}
	return s.startAlone(ctx, settings)
}

// startAlone starts an API and a worker.
func (s *Stage) startAlone(ctx context.Context, settings []string) error {
	if err := s.startTemporal(ctx); err != nil {
		return err
	}
	pages, err := ports.Address()
	if err != nil {
		return err
	}
	control, err := ports.Address()
	if err != nil {
		return err
	}
	s.CellURL = "http://" + pages
	s.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "ADDR=" + s.address, "DATA_DIR=" + s.Dir,
		"DATABASE_URL=" + s.DB.address(), "TEMPORAL_ADDRESS=" + s.temporal,
		"CHAOS_TARGET_ADDR=" + pages, "CHAOS_TARGET_CONTROL_ADDR=" + control,
	}, settings...)
	if s.options.Blind {
		s.env = append(s.env, "CHROMIUM="+filepath.Join(s.Dir, "no-browser"))
	}
	api, err := s.start(ctx, "api", "api")
	if err != nil {
		return err
	}
	worker, err := s.start(ctx, "worker", "worker")
	s.APIs, s.Workers = Group{api}, Group{worker}
	return err
}

// StartCell starts the chaos target, after StartProduct; a cluster has one already.
func (s *Stage) StartCell(ctx context.Context) error {
	if s.cluster != nil {
		return nil
	}
	_, err := s.start(ctx, "target", "target")
	return err
}

// StartAPI starts one more API, with settings of its own, after StartProduct, and gives its
// URL. Its log has the name. It stands behind no proxy, and nobody restarts it.
func (s *Stage) StartAPI(ctx context.Context, name string, settings ...string) (url string, err error) {
	address, err := ports.Address()
	if err != nil {
		return "", err
	}
	_, err = s.start(ctx, "api", name, append(settings, "ADDR="+address, "OPS_ADDR=")...)
	return "http://" + address, err
}

func (s *Stage) start(ctx context.Context, command, name string, settings ...string) (*cluster.Process, error) {
	ctx, end := context.WithCancel(ctx)
	p, err := cluster.Keep(ctx, cluster.Program{
		Name: name, Path: s.product, Args: []string{command}, Env: slices.Concat(s.env, settings), Dir: s.Dir,
	})
	if err != nil {
		end()
		return nil, err
	}
	s.Later(func() { end(); p.Ended() })
	return p, nil
}

// Group are the processes of a kind: one, or in a cluster several.
type Group []*cluster.Process

// Unharmed says for how long nobody has killed any of them.
func (g Group) Unharmed() time.Duration {
	least := g[0].Unharmed()
	for _, p := range g {
		least = min(least, p.Unharmed())
	}
	return least
}

func (g Group) deaths() (kills, falls int) {
	for _, p := range g {
		k, f := p.Deaths()
		kills, falls = kills+k, falls+f
	}
	return kills, falls
}
