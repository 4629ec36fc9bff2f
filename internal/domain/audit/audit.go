// Package audit holds the audit log of founders' actions.
package audit

import "time"

// Entry is one action or attempt of a founder. It contains no secrets.
type Entry struct {
	ID         string
	At         time.Time
	AccountID  *string
	Actor      string // @handle, or "the admin key"
	Action     Action
	Outcome    Outcome
	Detail     string // a sentence
	WorkflowID string
	RunID      string
}

// TableName is the GORM table name.
func (Entry) TableName() string { return "audit_entries" }

// Action is the audited action.
type Action string

const (
	ReadSecrets         Action = "read_secrets"
	ReplaceProviderKeys Action = "replace_provider_keys"
	RollBackProvider    Action = "roll_back_provider_keys"
	ConnectBot          Action = "connect_bot"
	DisconnectBot       Action = "disconnect_bot"
	RetryEmail          Action = "retry_email"
	AddMember           Action = "add_member"
	SetMemberEmail      Action = "set_member_email"
	FreezeMember        Action = "freeze_member"
	UnfreezeMember      Action = "unfreeze_member"
	RemoveMember        Action = "remove_member"
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

// Outcome is the result of an action.
type Outcome string

const (
	Done    Outcome = "done"
	Begun   Outcome = "begun" // the workflow run has the result
	Refused Outcome = "refused"
)
