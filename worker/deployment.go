package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Deployment is how Temporal tells builds of our worker apart: one of them is current, and is
// given all work. Without a name there are no builds, and every worker is.
type Deployment struct{ Name, Build string }

// NewDeployment is of this program. A build that nobody named is named by its commit, or by its
// bytes: two builds that shared a name would be given each other's runs.
func NewDeployment(name, build string) (Deployment, error) {
	if name == "" {
		return Deployment{}, nil
	}
	if build == "" {
		build = Build()
	}
	if build == "unknown" || strings.HasSuffix(build, "+") {
		digest, err := ownDigest()
		if err != nil {
			return Deployment{}, errors.New("this program cannot tell its own version; set WORKER_BUILD")
		}
		build = digest
	}
	return Deployment{Name: name, Build: build}, nil
}

func ownDigest() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = program.Close() }()
	digest := sha256.New()
	if _, err := io.Copy(digest, program); err != nil {
		return "", fmt.Errorf("read the program: %w", err)
	}
	return hex.EncodeToString(digest.Sum(nil))[:12], nil
}

// options let open runs go on in whatever build is current: they live up to a month or for
// ever, and no build is kept for so long (ADR 23).
func (d Deployment) options() worker.DeploymentOptions {
	if d.Name == "" {
		return worker.DeploymentOptions{}
	}
	return worker.DeploymentOptions{
		UseVersioning:             true,
		Version:                   worker.WorkerDeploymentVersion{DeploymentName: d.Name, BuildID: d.Build},
		DefaultVersioningBehavior: workflow.VersioningBehaviorAutoUpgrade,
	}
}
