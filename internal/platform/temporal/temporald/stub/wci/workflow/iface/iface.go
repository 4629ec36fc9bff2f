// Package iface declares the types with which the server describes scaling groups, of which this server has none.
package iface

import (
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
)

// Names of providers, algorithms and results, which the server converts.
type (
	ComputeProviderType  string
	ScalingAlgorithmType string
	ValidationResult     string
)

// ValidationResultFailed marks a ValidationStatus with an ErrMessage.
const ValidationResultFailed ValidationResult = "failed"

// ComputeProviderSpec describes where a group's workers would run.
type ComputeProviderSpec struct {
	ProviderType  ComputeProviderType
	Config        *common.Payload
	NexusEndpoint string
}

// ScalingAlgorithmSpec describes how a group would scale.
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

// WorkerControllerInstanceSpec contains the groups of one worker version.
type WorkerControllerInstanceSpec struct {
	ScalingGroupSpecs map[string]ScalingGroupSpec
}

// ValidationStatus is the result of a provider's validation.
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

// UpdateWorkerControllerInstanceResponse describes the updated groups.
type UpdateWorkerControllerInstanceResponse struct {
	Spec *WorkerControllerInstanceSpec
}
