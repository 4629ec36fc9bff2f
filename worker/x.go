package worker

import (
	"context"
	"sync"
	"time"

	"customerzero/activities"
	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
)

// X creates the activities' clients of X. The app's keys and the bot's tokens may change at any time, so
// it reads their IDs from the database for every call.
type X struct {
	Store   XStore
	BaseURL string
	Timeout time.Duration

	mu    sync.Mutex
	known string // IDs of the client's connection and keys
	bot   *x.Client
}

// XStore reads the credentials for X. *store.Bot implements it.
type XStore interface {
	Connection(ctx context.Context) (*bot.Connection, error)
	ConnectionTokens(ctx context.Context, id string) (bot.Connection, bot.Tokens, error)
	ProviderKeys(ctx context.Context) (*bot.ProviderKeys, error)
	KeysOf(ctx context.Context, id string) (bot.ProviderKeys, bot.Keys, error)
}

// Account returns the client of the bot's account and the ID of its connection, or post.ErrNotConnected.
func (x *X) Account(ctx context.Context) (activities.Account, string, error) {
	connected, err := x.Store.Connection(ctx)
	if err != nil {
		return nil, "", err
	}
	keys, err := x.Store.ProviderKeys(ctx)
	if err != nil {
		return nil, "", err
	}
	if connected == nil || keys == nil {
		return nil, "", post.ErrNotConnected
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if wanted := connected.ID + "/" + keys.ID; x.known != wanted { // otherwise reuse the client, which has cached the account's ID
		_, tokens, err := x.Store.ConnectionTokens(ctx, connected.ID)
		if err != nil {
			return nil, "", err
		}
		_, opened, err := x.Store.KeysOf(ctx, keys.ID)
		if err != nil {
			return nil, "", err
		}
		x.known, x.bot = wanted, x.newClient(opened, tokens, connected.UserID)
	}
	return x.bot, connected.ID, nil
}

func (remote *X) newClient(keys bot.Keys, tokens bot.Tokens, userID string) *x.Client {
	return x.New(x.Config{
		BaseURL: remote.BaseURL, ConsumerKey: keys.ConsumerKey, ConsumerSecret: keys.ConsumerSecret,
		AccessToken: tokens.AccessToken, AccessSecret: tokens.AccessSecret, UserID: userID, Timeout: remote.Timeout,
	})
}

// Owner returns the X user of tokens.
func (x *X) Owner(ctx context.Context, tokens bot.Tokens) (account.XUser, error) {
	keys, err := x.keys(ctx, nil)
	if err != nil {
		return account.XUser{}, err
	}
	me, err := x.newClient(keys, tokens, "").Me(ctx)
	return account.XUser{ID: me.ID, Handle: me.Username}, err
}

// LoginApp returns the app with its current keys.
func (x *X) LoginApp(ctx context.Context) (activities.LoginApp, error) {
	keys, err := x.keys(ctx, nil)
	return x.app(keys), err
}

// ProbeApp returns the app with its current keys, or with the named ones.
func (x *X) ProbeApp(ctx context.Context, providerKeyID *string) (activities.ProbeApp, bot.Keys, error) {
	keys, err := x.keys(ctx, providerKeyID)
	return x.app(keys), keys, err
}

// BotTokens returns nil if the bot is not connected.
func (x *X) BotTokens(ctx context.Context) (*bot.Tokens, error) {
	connected, err := x.Store.Connection(ctx)
	if err != nil || connected == nil {
		return nil, err
	}
	_, tokens, err := x.Store.ConnectionTokens(ctx, connected.ID)
	return &tokens, err
}

func (remote *X) app(keys bot.Keys) *x.App {
	return x.NewApp(x.AppConfig{
		BaseURL: remote.BaseURL, ConsumerKey: keys.ConsumerKey, ConsumerSecret: keys.ConsumerSecret, Timeout: remote.Timeout,
	})
}

// keys decrypts the app's keys. Without any they are empty, which X rejects and the diagnostic names.
func (x *X) keys(ctx context.Context, id *string) (bot.Keys, error) {
	if id == nil {
		current, err := x.Store.ProviderKeys(ctx)
		if err != nil || current == nil {
			return bot.Keys{}, err
		}
		id = &current.ID
	}
	_, keys, err := x.Store.KeysOf(ctx, *id)
	return keys, err
}
