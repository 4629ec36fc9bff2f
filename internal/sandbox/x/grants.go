package x

import "crypto/rand"

// grant is an account's leave for the app to act for it. X's do not expire.
type grant struct{ token, secret, userID string }

// grantFor gives the account's grant. Like X it hands the same one out for as long as it
// is not revoked: whoever revokes it, revokes it everywhere.
func (st *state) grantFor(userID string) (grant, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if g, found := st.byUser[userID]; found {
		return g, nil
	}
	g := grant{token: userID + "-" + rand.Text(), secret: rand.Text() + rand.Text(), userID: userID}
	e := entry{Op: opGrant, At: st.now().UTC(), Token: g.token, Secret: g.secret, UserID: userID}
	if err := st.journal.Append(e); err != nil {
		return grant{}, err
	}
	st.keep(g)
	return g, nil
}

func (st *state) keep(g grant) {
	st.grants[g.token] = g
	st.byUser[g.userID] = g
}

// grant gives what a token grants.
func (st *state) grant(token string) (grant, bool) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	g, found := st.grants[token]
	return g, found
}

// grantOf gives the grant that people made for the account, if it is not revoked.
func (st *state) grantOf(userID string) (grant, bool) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	g, found := st.byUser[userID]
	return g, found
}

// revoke makes a token worthless, for good.
func (st *state) revoke(token string) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := st.journal.Append(entry{Op: opRevoke, At: st.now().UTC(), Token: token}); err != nil {
		return err
	}
	st.forget(token)
	return nil
}

func (st *state) forget(token string) {
	g := st.grants[token]
	delete(st.grants, token)
	if st.byUser[g.userID].token == token {
		delete(st.byUser, g.userID)
	}
}
