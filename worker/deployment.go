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

// Deployment identifies a build of the worker. One build of a deployment is current and gets all work.
// Without a name the worker is not versioned.
type Deployment struct{ Name, Build string }

// NewDeployment returns the deployment of this program. A build without a name is named by its commit,
// or by its digest: builds that shared a name would get each other's runs.
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
			return Deployment{}, errors.New("the version of this program is unknown; set WORKER_BUILD")
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

// options lets open runs continue in the current build: they run for a month or permanently, and no
// build is kept that long (ADR 23).
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
