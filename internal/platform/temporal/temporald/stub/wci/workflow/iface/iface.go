// Package iface holds the shapes in which the server describes scaling groups. They are
// declared, never stored: no group exists on a server without cloud providers.
package iface

import (
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
)

// Names of providers, of algorithms and of outcomes. The server converts to and from them.
type (
	ComputeProviderType  string
	ScalingAlgorithmType string
	ValidationResult     string
)

// ValidationResultFailed marks a ValidationStatus whose ErrMessage counts.
const ValidationResultFailed ValidationResult = "failed"

// ComputeProviderSpec says where a group's workers would run.
type ComputeProviderSpec struct {
	ProviderType  ComputeProviderType
	Config        *common.Payload
	NexusEndpoint string
}

// ScalingAlgorithmSpec says how many of them there would be.
type ScalingAlgorithmSpec struct {
	ScalingAlgorithm ScalingAlgorithmType
	Config           *common.Payload
}

// ScalingGroupSpec is one group of workers.
type ScalingGroupSpec struct {
	TaskTypes []enums.TaskQueueType
	Compute   ComputeProviderSpec
	Scaling   *ScalingAlgorithmSpec
}

// ScalingGroupSpecUpdate changes the fields of a group that its mask names.
type ScalingGroupSpecUpdate struct {
	Spec       ScalingGroupSpec
	UpdateMask []string
}

// WorkerControllerInstanceSpec is all groups of one worker version.
type WorkerControllerInstanceSpec struct {
	ScalingGroupSpecs map[string]ScalingGroupSpec
}

// ValidationStatus is the last word of a provider on its group.
type ValidationStatus struct {
	LastValidationTime time.Time
	Status             ValidationResult
	ErrMessage         string
}

// QueryDescribeWorkerControllerInstanceResponse describes one worker version's groups.
type QueryDescribeWorkerControllerInstanceResponse struct {
	Spec             *WorkerControllerInstanceSpec
	ValidationStatus *ValidationStatus
}

// UpdateWorkerControllerInstanceResponse is what the groups became.
type UpdateWorkerControllerInstanceResponse struct {
	Spec *WorkerControllerInstanceSpec
}
