package deploy_test

import (
	"encoding/json"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// Exceptions to the policy, with their reasons.
var (
	writesItself = map[string]string{"temporal-ui": "it writes its configuration beside its program"}
	ownUser      = map[string]string{"temporal-ui": "temporal"}                                       // the user that can write there
	capabilities = map[string][]string{"edge": {"NET_BIND_SERVICE"}, "console": {"NET_BIND_SERVICE"}} // a file capability of its program
	ends         = []string{"migrate", "promote", "temporal-schema", "temporal-namespace"}
	published    = []string{"edge", "grafana", "console"}
)

var pinned = regexp.MustCompile(`:v?\d+\.\d+(\.\d+)?(-[a-z0-9.]+)?$`)

func TestEveryServiceIsHeldToThePolicy(t *testing.T) {
	t.Parallel()
	for name, s := range load(t).Services {
		if s.Build == nil {
			require.Regexp(t, pinned, s.Image, "%s has no version", name)
		}
		_, excepted := writesItself[name]
		require.Equal(t, !excepted, s.ReadOnly, "%s can write to its image", name)
		if own, excepted := ownUser[name]; excepted {
			require.Equal(t, own, s.User)
		} else {
			require.Regexp(t, `^[1-9]\d*:\d+$`, s.User, "%s can be root", name)
		}
		require.Equal(t, []string{"ALL"}, s.CapDrop, name)
		require.Equal(t, capabilities[name], s.CapAdd, name)
		require.Contains(t, s.SecurityOpt, "no-new-privileges:true", name)
		require.False(t, s.Privileged, name)
		require.Empty(t, s.NetworkMode, name)
		require.Positive(t, s.MemLimit, "%s has no memory limit", name)
		require.Positive(t, s.PidsLimit, "%s has no process limit", name)
		require.NotEmpty(t, s.Logging.Options["max-size"], "the log of %s can fill the disk", name)
		require.NotEmpty(t, s.Networks, name)
		requireLife(t, name, s)
	}
}

// requireLife: long-running services have a restart policy and a health check, one-off services have neither.
func requireLife(t *testing.T, name string, s types.ServiceConfig) {
	t.Helper()
	if slices.Contains(ends, name) {
		require.NotEqual(t, "unless-stopped", s.Restart, name)
		require.Nil(t, s.HealthCheck, name)
		return
	}
	require.Equal(t, "unless-stopped", s.Restart, name)
	require.NotNil(t, s.HealthCheck, name)
	require.NotEmpty(t, s.HealthCheck.Test, name)
}

func TestOnlyThreeArePublishedAndOnlyToThisMachine(t *testing.T) {
	t.Parallel()
	reachable := map[string]bool{}
	for name, s := range load(t).Services {
		for _, port := range s.Ports {
			host, err := netip.ParseAddr(port.HostIP)
			require.NoError(t, err, "%s is published on all addresses", name)
			require.True(t, host.IsLoopback(), "%s is published to other machines", name)
			reachable[name] = true
		}
	}
	require.ElementsMatch(t, published, slices.Collect(maps.Keys(reachable)))
	for name, s := range load(t, "EDGE_BIND=0.0.0.0").Services {
		for _, port := range s.Ports {
			require.Equal(t, name == "edge", port.HostIP == "0.0.0.0", "only the reverse proxy is published: %s", name)
		}
	}
}

// TestTheConsoleOnlyReads: the console and Temporal's HTTP API have no login.
func TestTheConsoleOnlyReads(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	require.Equal(t, "true", value(services["temporal-ui"], "TEMPORAL_DISABLE_WRITE_ACTIONS"))
	require.Contains(t, services["temporal-ui"].Networks, "eyes")
	require.Equal(t, []string{"eyes"}, slices.Collect(maps.Keys(services["console"].Networks)))
	settings := read(t, root, "deploy/temporal/dynamic.yaml")
	require.Contains(t, settings, "frontend.httpAllowedHosts:\n  - value: [none.invalid]\n")
	require.Contains(t, settings, "activity.enableStandalone:\n  - value: false\n")
}

// secretName matches variables of secrets, also of third-party images.
var secretName = regexp.MustCompile(`(?i)(PASSWORD|PWD|SECRET|TOKEN|_KEY|DATABASE_URL|SMTP_URL)`)

// Proves: V13.3.1
func TestNoSecretStandsInAnEnvironment(t *testing.T) {
	t.Parallel()
	for name, s := range load(t).Services {
		for variable, v := range s.Environment {
			if v == nil || !secretName.MatchString(variable) {
				continue
			}
			file, is := strings.CutPrefix(*v, "/run/secrets/")
			require.True(t, is, "%s of %s is not a file", variable, name)
			require.True(t, slices.ContainsFunc(s.Secrets, func(given types.ServiceSecretConfig) bool { return given.Source == file }),
				"%s is not given %s", name, file)
		}
	}
}

// Proves: V13.2.4
func TestWhoMeetsWhom(t *testing.T) {
	t.Parallel()
	project := load(t)
	members := map[string][]string{}
	for name, s := range project.Services {
		for network := range s.Networks {
			members[network] = append(members[network], name)
		}
	}
	require.ElementsMatch(t, []string{"edge", "api-1", "api-2"}, members["front"], "its members are trusted as the proxy")
	require.ElementsMatch(t, []string{"edge", "target", "worker-1", "worker-2", "prometheus"}, members["stage"])
	require.ElementsMatch(t, []string{"temporal", "temporal-postgres", "temporal-schema"}, members["ledger"])
	require.NotContains(t, members["back"], "target", "visitors break it")
	require.NotContains(t, members["back"], "edge")
	for _, closed := range []string{"stage", "back", "ledger"} {
		require.True(t, project.Networks[closed].Internal, "%s has access to the internet", closed)
	}
	subnet := project.Networks["front"].Ipam.Config[0].Subnet
	require.Equal(t, subnet, value(project.Services["api-1"], "TRUSTED_PROXIES"))
	_, err := netip.ParsePrefix(subnet)
	require.NoError(t, err)
	require.Len(t, members, len(project.Networks))
}

func TestNobodyIsKilledBeforeWhatItHasBegunEnded(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	const afterwards = 15 * time.Second // of api.Drain, for open requests
	for _, name := range []string{"api-1", "api-2"} {
		drain, err := time.ParseDuration(value(services[name], "DRAIN_DELAY"))
		require.NoError(t, err)
		require.Greater(t, time.Duration(*services[name].StopGracePeriod), drain+afterwards)
	}
	require.GreaterOrEqual(t, time.Duration(*services["worker-1"].StopGracePeriod), 40*time.Second)
}

func TestEveryHealthCheckOfOursAsksAnAddressThatIsServed(t *testing.T) {
	t.Parallel()
	asks := regexp.MustCompile(`^http://127\.0\.0\.1(:\d+)/`)
	for name, s := range load(t).Services {
		if s.Build == nil || s.HealthCheck == nil {
			continue
		}
		require.Equal(t, types.HealthCheckTest{"CMD", "customerzero", "health", "--of"}, s.HealthCheck.Test[:4], "%s has no shell", name)
		port := asks.FindStringSubmatch(s.HealthCheck.Test[4])
		require.NotNil(t, port, name)
		listens := slices.Collect(maps.Values(s.Environment))
		require.True(t, slices.ContainsFunc(listens, func(v *string) bool { return v != nil && *v == port[1] }), "%s does not listen at %s", name, port[1])
	}
}

func TestTheGraphOfWhoWaitsForWhomHasNoCycle(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		require.NotContains(t, path, name, "a cycle")
		require.Contains(t, services, name)
		for on, dependency := range services[name].DependsOn {
			if dependency.Condition == types.ServiceConditionCompletedSuccessfully {
				require.Contains(t, ends, on, "%s waits for a service that does not end", name)
			}
			if dependency.Condition == types.ServiceConditionHealthy {
				require.NotNil(t, services[on].HealthCheck, on)
			}
			visit(on, append(slices.Clone(path), name))
		}
	}
	for name := range services {
		visit(name, nil)
	}
}

func TestTheBrowsersProfileOfSystemCallsIsJSON(t *testing.T) {
	t.Parallel()
	for name, s := range load(t).Services {
		for _, option := range s.SecurityOpt {
			file, is := strings.CutPrefix(option, "seccomp=")
			require.Equal(t, strings.HasPrefix(name, "worker-"), is || len(s.SecurityOpt) > 1, name)
			if !is {
				continue
			}
			var profile struct {
				DefaultAction string
				Syscalls      []struct{ Names []string }
			}
			require.NoError(t, json.Unmarshal([]byte(read(t, root, file)), &profile))
			for _, call := range []string{"mount", "setns", "bpf", "keyctl", "ptrace", "kexec_load"} {
				require.Contains(t, profile.Syscalls[0].Names, call)
			}
			for _, call := range []string{"clone", "clone3", "unshare", "chroot"} {
				require.NotContains(t, profile.Syscalls[0].Names, call, "the browser needs it for its own sandbox")
			}
		}
	}
}

func TestTheImagesOfOthersAreOfTheVersionsThatWereTested(t *testing.T) {
	t.Parallel()
	services := load(t).Services
	for _, same := range []struct{ service, modules, module string }{
		{"edge", "tools/caddy/go.mod", `github.com/caddyserver/caddy/v2 v(\d+\.\d+\.\d+)`},
		{"temporal", "internal/platform/temporal/temporald/go.mod", `go.temporal.io/server v(\d+\.\d+)`},
		{"temporal-schema", "internal/platform/temporal/temporald/go.mod", `go.temporal.io/server v(\d+\.\d+)`},
	} {
		version := found(t, same.module, read(t, root, same.modules))
		require.Contains(t, services[same.service].Image, ":"+version, same.service)
	}
}

func TestThePublicAddressFollowsTheSite(t *testing.T) {
	t.Parallel()
	for want, settings := range map[string][]string{
		"https://localhost":       nil,
		"https://bot.example.com": {"SITE=bot.example.com"},
		"https://localhost:8443":  {"PUBLIC_URL=https://localhost:8443"},
	} {
		for _, name := range []string{"api-1", "worker-2", "target", "sandbox"} {
			require.Equal(t, want, value(load(t, settings...).Services[name], "PUBLIC_URL"), name)
		}
	}
	require.Equal(t, "edge:443", value(load(t).Services["worker-1"], "VERIFY_DIAL"))
}
