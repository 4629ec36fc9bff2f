package workflows

import (
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
)

// Search attributes find runs in the console: Flow="post" AND PostStatus="failed".
var (
	Flow       = temporal.NewSearchAttributeKeyKeyword("Flow")
	PostStatus = temporal.NewSearchAttributeKeyKeyword("PostStatus")
	MemberID   = temporal.NewSearchAttributeKeyKeyword("MemberID")
)

// SearchAttributes lists what the namespace must know.
func SearchAttributes() map[string]enums.IndexedValueType {
	return map[string]enums.IndexedValueType{
		Flow.GetName():       Flow.GetValueType(),
		PostStatus.GetName(): PostStatus.GetValueType(),
		MemberID.GetName():   MemberID.GetValueType(),
	}
}

// flowNamed marks a run that has nothing else to be found by.
func flowNamed(flow string) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(Flow.ValueSet(flow))
}
