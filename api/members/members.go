// Package members serves the list of members.
package members

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// Members is the list of members.
type Members struct {
	Members []Member `json:"members" doc:"Members"`
}

// Member is a founding member.
type Member struct {
	ID             string        `json:"id" doc:"Member ID"`
	Email          string        `json:"email,omitempty" doc:"Email address; only founders and the member see it"`
	Username       string        `json:"username" doc:"Name without @"`
	JoinedAt       time.Time     `json:"joined_at" doc:"Time at which the membership started"`
	PaymentAmount  int           `json:"payment_amount" doc:"Paid fee in cents; 0 if a founder added the member"`
	PaymentStatus  string        `json:"payment_status" doc:"paid: the founding fee was paid; granted: a founder added the member, and nothing was paid" enum:"paid,granted"`
	CurrentCredits int           `json:"current_credits" doc:"Number of credits left"`
	Status         member.Status `json:"status" doc:"Status of the membership" enum:"active,frozen,removed"`
	FrozenReason   string        `json:"frozen_reason,omitempty" doc:"Human-readable reason why the membership is frozen; only founders and the member see it"`
	SlotsHeld      int           `json:"slots_held" doc:"Slots of the current month that the member's scheduled and published posts hold"`
}

func (a *API) ListMembers(ctx context.Context, _ *struct{}) (Members, error) {
	accounts, err := a.Members.Members(ctx, post.MonthOf(a.Now()))
	return Members{httpapi.Map(accounts, func(one member.Account) Member { return showMember(one, httpapi.CallerOf(ctx)) })}, err
}

func showMember(a member.Account, who httpapi.Caller) Member {
	shown := Member{
		ID: a.ID, Username: a.Username, JoinedAt: a.JoinedAt, PaymentAmount: a.PaymentCents, PaymentStatus: a.Payment(),
		CurrentCredits: a.Credits, Status: a.Status, SlotsHeld: a.SlotsHeld,
	}
	if who.Login != nil && (who.Role == account.Founder || who.MemberID() == a.ID) {
		shown.Email, shown.FrozenReason = a.Email, a.WhyFrozen()
	}
	return shown
}

// NewMember is a member to add.
type NewMember struct {
	Username      string `json:"username" minLength:"1" maxLength:"40" doc:"Name, with or without @"`
	PaymentAmount int    `json:"paymentAmount" enum:"9" doc:"Founding fee in whole dollars. It is only a confirmation: nothing is charged, and the member is stored as granted"`
	Email         string `json:"email,omitempty" maxLength:"254" doc:"Email address for login; a welcome email with a login link is sent to it"`
}

// AddedMember is a member who was added.
type AddedMember struct {
	Success bool   `json:"success" doc:"Always true" enum:"true"`
	Member  Member `json:"member" doc:"The new member"`
}

func (a *API) AddMember(ctx context.Context, req *httpapi.Body[NewMember]) (AddedMember, error) {
	name, err := member.ParseUsername(req.Body.Username)
	if err != nil {
		return AddedMember{}, err
	}
	welcome, err := a.welcome(name, req.Body.Email)
	if err != nil {
		return AddedMember{}, err
	}
	now := a.Now()
	m := member.Member{
		ID: xid.New().String(), Username: name, UsernameKey: member.Key(name), Status: member.StatusActive,
		JoinedAt: now,
	}
	err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.AddMember, func(ctx context.Context) (string, error) {
		return "@" + name + " is a member.", a.Members.AddMember(ctx, m, welcome)
	})
	if err != nil {
		return AddedMember{}, err
	}
	added, err := a.Members.Account(ctx, m.ID, post.MonthOf(now))
	return AddedMember{true, showMember(added, httpapi.CallerOf(ctx))}, err
}

// NewMemberEmail is a member's new address.
type NewMemberEmail struct {
	Email string `json:"email" minLength:"3" maxLength:"254" doc:"Email address for login; a welcome email with a login link is sent to it"`
}

// ChangedMember is a member whom a founder changed.
type ChangedMember struct {
	Success bool    `json:"success" doc:"Always true" enum:"true"`
	Member  *Member `json:"member,omitempty" doc:"The member after the change; omitted if the membership was removed"`
}

func (a *API) SetMemberEmail(ctx context.Context, req *httpapi.ChangeByID[NewMemberEmail]) (ChangedMember, error) {
	m, err := a.Members.MemberKeyed(ctx, req.ID)
	if err != nil {
		return ChangedMember{}, err
	}
	welcome, err := a.welcome(m.Username, req.Body.Email)
	if err != nil {
		return ChangedMember{}, err
	}
	err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.SetMemberEmail, func(ctx context.Context) (string, error) {
		return "@" + m.Username + " got another email address.", a.Members.SetMemberEmail(ctx, m.ID, *welcome, a.Now())
	})
	return a.changed(ctx, m.ID, err)
}

// NewMemberStatus is a membership's new status.
type NewMemberStatus struct {
	Status member.Status `json:"status" enum:"active,frozen,removed" doc:"frozen stops the share and the votes, active ends a founder's freeze, removed ends the membership and deletes the member's account"`
	Reason string        `json:"reason,omitempty" maxLength:"200" doc:"Reason for freezing, as a sentence; the member sees it"`
}

func (a *API) SetMemberStatus(ctx context.Context, req *httpapi.ChangeByID[NewMemberStatus]) (ChangedMember, error) {
	m, err := a.Members.MemberKeyed(ctx, req.ID)
	if err != nil {
		return ChangedMember{}, err
	}
	name := "@" + m.Username
	switch req.Body.Status {
	case member.StatusRemoved:
		return ChangedMember{Success: true}, a.remove(ctx, m)
	case member.StatusFrozen:
		err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.FreezeMember, func(ctx context.Context) (string, error) {
			return name + " is frozen. " + req.Body.Reason, a.Members.FreezeMember(ctx, m.ID, req.Body.Reason, a.Now())
		})
	case member.StatusActive:
		err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.UnfreezeMember, func(ctx context.Context) (string, error) {
			return "A founder's freeze of " + name + " ended.", a.Members.UnfreezeMember(ctx, m.ID, a.Now())
		})
	}
	return a.changed(ctx, m.ID, err)
}

func (a *API) changed(ctx context.Context, id string, err error) (ChangedMember, error) {
	if err != nil {
		return ChangedMember{}, err
	}
	now, err := a.Members.Account(ctx, id, post.MonthOf(a.Now()))
	shown := showMember(now, httpapi.CallerOf(ctx))
	return ChangedMember{true, &shown}, err
}

// remove deletes the member's account with the workflow of account deletions, or, without an account, ends the
// membership only.
func (a *API) remove(ctx context.Context, m member.Member) error {
	owner, err := a.Members.AccountOf(ctx, m.ID)
	if err != nil {
		return err
	}
	if owner != nil {
		if err := account.CheckDeletion(*owner, a.Founders); err != nil {
			return err
		}
	}
	var deletion account.Deletion
	err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.RemoveMember, func(ctx context.Context) (detail string, err error) {
		if owner == nil {
			return "A member without an account was removed.", a.Members.RemoveMember(ctx, m.ID)
		}
		deletion, err = a.Deletions.RequestDeletion(ctx, owner.ID, xid.New().String(), a.Now())
		return "A member was removed, and the account is being deleted.", err
	})
	if err != nil || owner == nil {
		return err
	}
	if _, err := a.Runs.StartAccountDeletion(ctx, deletion.ID); err != nil {
		slog.WarnContext(ctx, "account deletion not started; the dispatcher retries", "deletion_id", deletion.ID, "error", err)
	}
	return nil
}

// welcome prepares the welcome email, which the dispatcher sends. It is nil without an address.
func (a *API) welcome(name, email string) (*account.Welcome, error) {
	if email == "" {
		return nil, nil //nolint:nilnil // without an address there is no email
	}
	address, err := account.Canonical(email)
	if err != nil {
		return nil, err
	}
	token := account.NewToken()
	return &account.Welcome{Email: address, Token: token, Facts: map[string]string{
		"Name": name, "ActivationURL": a.Site.PublicURL + "/auth/claim#" + token,
		"Days": strconv.Itoa(int(account.ActivationLinkLife / (24 * time.Hour))), "Credits": strconv.Itoa(member.FoundingCredits),
	}}, nil
}
