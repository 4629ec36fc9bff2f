package posts

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// ViewerOf says whose drafts the caller may see; nil: everybody's.
func ViewerOf(ctx context.Context) *post.Viewer {
	who := httpapi.CallerOf(ctx)
	if who.Role >= account.Founder {
		return nil
	}
	return &post.Viewer{MemberID: who.MemberID()}
}

// visiblePost finds a post that the caller may know of.
func (a *API) visiblePost(ctx context.Context, id string) (post.Listed, error) {
	p, err := a.Posts.ListedPost(ctx, id)
	if err == nil && !ViewerOf(ctx).MaySee(p.Post) {
		return post.Listed{}, problem.New(problem.NotFound, "There is no such post.")
	}
	return p, err
}

// ownPost finds a post that the caller may change: founders any, members their own.
func (a *API) ownPost(ctx context.Context, id string) (post.Listed, error) {
	p, err := a.visiblePost(ctx, id)
	if err != nil {
		return p, err
	}
	if who := httpapi.CallerOf(ctx); who.Role < account.Founder && who.MemberID() != httpapi.Deref(p.MemberID) {
		return p, problem.New(problem.Forbidden, "This post is not yours. Members may change their own posts, founders all of them.")
	}
	return p, nil
}

// Sponsor says whose share and credits a new post takes: for members their own, for
// founders anybody's they name, or the commons.
func (a *API) Sponsor(ctx context.Context, name string) (memberID *string, err error) {
	who := httpapi.CallerOf(ctx)
	if name == "" && who.Role == account.Founder {
		return nil, nil //nolint:nilnil // the commons have no member
	}
	if who.Role == account.Founder {
		m, err := a.memberOf(ctx, name)
		return &m.ID, err
	}
	if name != "" && (who.Login == nil || member.Key(name) != member.Key(who.Login.Username)) {
		return nil, problem.New(problem.Forbidden, "Members post under their own name.")
	}
	id := who.MemberID()
	return &id, nil
}
