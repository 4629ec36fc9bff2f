// Package audit names what founders did, for other founders to read.
package audit

import "time"

// Entry is one thing that a founder did, or tried to. It never holds a secret.
type Entry struct {
	ID         string
	At         time.Time
	AccountID  *string
	Actor      string // @handle, or "the founders' key"
	Action     Action
	Outcome    Outcome
	Detail     string // a sentence
	WorkflowID string
	RunID      string
}

// TableName is where entries are kept.
func (Entry) TableName() string { return "audit_entries" }

// Action is what was done.
type Action string

const (
	ReadSecrets         Action = "read_secrets"
	ReplaceProviderKeys Action = "replace_provider_keys"
	RollBackProvider    Action = "roll_back_provider_keys"
	ConnectBot          Action = "connect_bot"
	DisconnectBot       Action = "disconnect_bot"
	RetryEmail          Action = "retry_email"
	AddMember           Action = "add_member"
	Refund              Action = "refund"
	PauseBot            Action = "pause_bot"
	ResumeBot           Action = "resume_bot"
	RequireApproval     Action = "require_approval"
	DropApproval        Action = "drop_approval"
	ApprovePost         Action = "approve_post"
	RejectPost          Action = "reject_post"
	SuggestText         Action = "suggest_text"
	StopChaos           Action = "stop_chaos"
	AllowChaos          Action = "allow_chaos"
	ApproveBaseline     Action = "approve_look"
	SubmitExperiment    Action = "submit_experiment"
	EditExperiment      Action = "edit_experiment"
	MoveExperiment      Action = "move_experiment"
	RegisterMetric      Action = "register_metric"
	DropMetric          Action = "drop_metric"
	WriteLabNote        Action = "write_lab_note"
	DeleteLabNote       Action = "delete_lab_note"
)

// Outcome is what came of it.
type Outcome string

const (
	Done    Outcome = "done"
	Begun   Outcome = "begun" // a run says how it ended
	Refused Outcome = "refused"
)
