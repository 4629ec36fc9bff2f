package x

import (
	"context"
	"net/http"
)

// User is an account of X.
type User struct{ ID, Username, Name string }

// Me asks X whose account this is. X bills each call.
func (c *Client) Me(ctx context.Context) (User, error) {
	var answer struct{ Data User }
	if err := c.call(ctx, http.MethodGet, "/2/users/me", nil, nil, &answer); err != nil {
		return User{}, err
	}
	if !isID(answer.Data.ID) {
		return User{}, unclear(http.StatusOK)
	}
	return answer.Data, nil
}

// userID is the account's ID, asked for once.
func (c *Client) userID(ctx context.Context) (string, error) {
	if known := c.id.Load(); known != nil {
		return *known, nil
	}
	self, err := c.Me(ctx)
	if err != nil {
		return "", err
	}
	c.id.Store(&self.ID)
	return self.ID, nil
}

// isID says whether X could have given the ID: a number, too big for some languages.
func isID(id string) bool {
	const longest = 19
	if id == "" || len(id) > longest {
		return false
	}
	for _, digit := range []byte(id) {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	return true
}
