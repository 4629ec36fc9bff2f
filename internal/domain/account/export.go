package account

import (
	"encoding/json"
	"time"
)

// Export is all data stored about an account's owner, without secrets or digests of secrets.
type Export struct {
	About          string                  `json:"about"`
	ExportedAt     time.Time               `json:"exportedAt"`
	Account        ExportedAccount         `json:"account"`
	Sessions       []ExportedLogin         `json:"sessions,omitempty"`
	Devices        []ExportedDevice        `json:"devices,omitempty"`
	Membership     *ExportedMember         `json:"membership,omitempty"`
	Credits        []ExportedCredit        `json:"credits,omitempty"`
	Posts          []ExportedPost          `json:"posts,omitempty"`
	RecurringPosts []ExportedRecurringPost `json:"recurringPosts,omitempty"`
	PostingTimes   []ExportedPostingTimes  `json:"postingTimes,omitempty"`
	Generations    []ExportedText          `json:"generatedTexts,omitempty"`
	Experiments    []ExportedIdea          `json:"experiments,omitempty"`
	Votes          []ExportedVote          `json:"votes,omitempty"`
	FounderVotes   []ExportedVote          `json:"founderVotes,omitempty"`
	Onboarding     []ExportedAnswer        `json:"onboarding,omitempty"`
	Receipts       []ExportedPrice         `json:"receipts,omitempty"`
	Emails         []ExportedEmail         `json:"emails,omitempty"`
	Audit          []ExportedAct           `json:"audit,omitempty"`
	Goes           []DeletionItem          `json:"deletedWithTheAccount"`
	Stays          []DeletionItem          `json:"keptWithoutAName"`
}

// ExportAbout describes the file.
const ExportAbout = "All that Customer Zero stores about you. Money is in cents. " +
	"Tokens, login codes and login links are stored as digests only and are not included."

// StoredJSON is a stored value that is already JSON.
type StoredJSON string

// MarshalJSON returns the value unchanged, or as a JSON string if it is not valid JSON.
func (j StoredJSON) MarshalJSON() ([]byte, error) {
	if !json.Valid([]byte(j)) {
		return json.Marshal(string(j))
	}
	return []byte(j), nil
}

type (
	ExportedAccount struct {
		Email      *string   `json:"email,omitempty"`
		XHandle    string    `json:"xHandle,omitempty"`
		XUserID    *string   `json:"xUserId,omitempty"`
		Handles    []string  `json:"xHandlesSoFar,omitempty"`
		Notices    bool      `json:"emailsAboutPosts"`
		CreatedAt  time.Time `json:"createdAt"`
		LoggedInAs string    `json:"loggedInAs"`
	}
	ExportedLogin struct {
		Provider  string    `json:"provider"`
		Scope     string    `json:"scope,omitempty"`
		Device    string    `json:"device"`
		CreatedAt time.Time `json:"createdAt"`
		SeenAt    time.Time `json:"seenAt"`
		ExpiresAt time.Time `json:"expiresAt"`
	}
	ExportedDevice struct {
		Name      string    `json:"name"`
		CreatedAt time.Time `json:"createdAt"`
		SeenAt    time.Time `json:"seenAt"`
	}
	ExportedMember struct {
		ID           string    `json:"id"`
		Username     string    `json:"username"`
		Status       string    `json:"status"`
		PaymentCents int       `json:"paymentCents"`
		JoinedAt     time.Time `json:"joinedAt"`
		FrozenBy     string    `json:"frozenBy,omitempty"`
		FrozenNote   string    `json:"frozenNote,omitempty"`
	}
	ExportedCredit struct {
		CreatedAt time.Time `json:"at"`
		Delta     int       `json:"delta"`
		Balance   int       `json:"balance"`
		Reason    string    `json:"reason"`
		PostID    *string   `json:"postId,omitempty"`
	}
	ExportedPost struct {
		ID           string     `json:"id"`
		Text         string     `json:"text"`
		Status       string     `json:"status"`
		Reason       string     `json:"reason,omitempty"`
		MadeWithAI   bool       `json:"madeWithAi"`
		Review       string     `json:"review,omitempty"`
		ReviewReason string     `json:"reviewReason,omitempty"`
		Suggestion   string     `json:"suggestion,omitempty"`
		ScheduledAt  time.Time  `json:"scheduledAt"`
		PublishedAt  *time.Time `json:"publishedAt,omitempty"`
		URL          string     `json:"url,omitempty"`
		Likes        int        `json:"likes"`
		Reposts      int        `json:"reposts"`
		Replies      int        `json:"replies"`
		Quotes       int        `json:"quotes"`
		RunID        string     `json:"runId,omitempty"`
		CreatedAt    time.Time  `json:"createdAt"`
	}
	ExportedRecurringPost struct {
		ID        string     `json:"id"`
		Texts     StoredJSON `json:"texts"`
		Weekly    StoredJSON `json:"weekly"`
		Timezone  string     `json:"timezone"`
		State     string     `json:"state"`
		Reason    string     `json:"reason,omitempty"`
		EndsAt    *time.Time `json:"endsAt,omitempty"`
		CreatedAt time.Time  `json:"createdAt"`
	}
	ExportedPostingTimes struct {
		Weekly        StoredJSON `json:"weekly"`
		Timezone      string     `json:"timezone"`
		QuietFrom     int        `json:"quietFromMinute"`
		QuietTo       int        `json:"quietToMinute"`
		MinGapMinutes int        `json:"minGapMinutes"`
		UpdatedAt     time.Time  `json:"updatedAt"`
	}
	ExportedText struct {
		Voice     string     `json:"voice"`
		Topic     string     `json:"topic"`
		Facts     StoredJSON `json:"facts"`
		Model     string     `json:"model"`
		Text      string     `json:"text"`
		Chosen    bool       `json:"chosen"`
		CreatedAt time.Time  `json:"askedAt"`
		EndedAt   *time.Time `json:"endedAt,omitempty"`
	}
	ExportedIdea struct {
		Slug        string    `json:"slug"`
		Title       string    `json:"title"`
		Problem     string    `json:"problem"`
		Hypothesis  string    `json:"hypothesis"`
		Impact      string    `json:"impact"`
		Status      string    `json:"status"`
		Reason      string    `json:"reason,omitempty"`
		SubmittedAt time.Time `json:"submittedAt"`
	}
	ExportedVote struct {
		Slug      string    `json:"experiment"`
		Value     int       `json:"value"`
		CreatedAt time.Time `json:"createdAt"`
		UpdatedAt time.Time `json:"updatedAt"`
	}
	ExportedAnswer struct {
		Kind        string     `json:"kind"`
		Answers     StoredJSON `json:"answers"`
		Step        int        `json:"step"`
		CompletedAt *time.Time `json:"completedAt,omitempty"`
		UpdatedAt   time.Time  `json:"updatedAt"`
	}
	ExportedPrice struct {
		ID              string     `json:"id"`
		State           string     `json:"state"`
		PaidCents       int        `json:"paidCents"`
		RefundedCents   int        `json:"refundedCents"`
		PaidAt          *time.Time `json:"paidAt,omitempty"`
		ListCents       int        `json:"listCents"`
		FinalCents      int        `json:"finalCents"`
		DiscountPercent int        `json:"discountPercent"`
		Source          string     `json:"decidedBy"`
		Model           string     `json:"model,omitempty"`
		Reason          string     `json:"reason"`
		Visits          int        `json:"visits"`
		TimeOnSite      int        `json:"secondsOnSite"`
		ViewedPricing   bool       `json:"viewedPricing"`
		AddedToCart     bool       `json:"addedToCart"`
		UserType        string     `json:"userType"`
		CreatedAt       time.Time  `json:"createdAt"`
	}
	ExportedEmail struct {
		Kind      string     `json:"kind"`
		State     string     `json:"state"`
		CreatedAt time.Time  `json:"writtenAt"`
		EndedAt   *time.Time `json:"endedAt,omitempty"`
	}
	ExportedAct struct {
		At      time.Time `json:"at"`
		Actor   string    `json:"actor"`
		Action  string    `json:"action"`
		Outcome string    `json:"outcome"`
		Detail  string    `json:"detail"`
	}
)
