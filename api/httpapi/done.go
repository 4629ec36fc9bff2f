package httpapi

// Done says that something was done.
type Done struct {
	Success bool   `json:"success" enum:"true"`
	Message string `json:"message,omitempty" doc:"For a person"`
}

// DoneReply is the reply of operations that have nothing else to say.
type DoneReply struct{ Body Done }
