package stripe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/stripe"
)

func TestNew(t *testing.T) {
	t.Parallel()
	const sandbox, real = "http://127.0.0.1:4242", "https://api.stripe.com"
	for name, tt := range map[string]struct {
		key, base string
		live      bool
		err       string
	}{
		"a test key":                           {key: "sk_test_a1", base: sandbox},
		"a restricted test key":                {key: "rk_test_a1", base: sandbox},
		"a test key that has live in it":       {key: "sk_test_sk_live_", base: sandbox},
		"a test key for the real Stripe":       {key: "sk_test_a1"},
		"a live key":                           {key: "sk_live_a1", live: true},
		"a live key, and the address in full":  {key: "sk_live_a1", base: real + "/", live: true},
		"a restricted live key":                {key: "rk_live_a1", base: real, live: true},
		"a live key for a sandbox":             {key: "sk_live_a1", base: sandbox, err: "STRIPE_SECRET_KEY is a live key"},
		"a restricted live key for a sandbox":  {key: "rk_live_a1", base: sandbox, err: "STRIPE_SECRET_KEY is a live key"},
		"a live key for a place named alike":   {key: "sk_live_a1", base: real + ".evil.example", err: "STRIPE_SECRET_KEY is a live key"},
		"a live key without encryption":        {key: "sk_live_a1", base: "http://api.stripe.com", err: "STRIPE_SECRET_KEY is a live key"},
		"no key":                               {base: sandbox, err: "STRIPE_SECRET_KEY is not set"},
		"a key that is made to be public":      {key: "pk_test_a1", base: sandbox, err: "not a secret key"},
		"a key for webhooks":                   {key: "whsec_a1", base: sandbox, err: "not a secret key"},
		"a key with nothing behind its prefix": {key: "sk_test_", base: sandbox, err: "not a secret key"},
		"a key with a line break":              {key: "sk_test_a1\n", base: sandbox, err: "not a secret key"},
		"an address without a scheme":          {key: "sk_test_a1", base: "127.0.0.1:4242", err: "STRIPE_BASE_URL"},
		"an address with a password":           {key: "sk_test_a1", base: "http://user:a1@127.0.0.1", err: "STRIPE_BASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := stripe.New(stripe.Config{SecretKey: tt.key, BaseURL: tt.base, Product: "Founding membership"})
			if tt.err == "" {
				require.NoError(t, err)
				require.Equal(t, tt.live, client.Live())
				return
			}
			require.ErrorContains(t, err, tt.err)
			require.NotContains(t, err.Error(), "a1")
			require.NotContains(t, err.Error(), "127.0.0.1")
		})
	}
}

func TestNewWithoutAProduct(t *testing.T) {
	t.Parallel()
	_, err := stripe.New(stripe.Config{SecretKey: key})
	require.ErrorContains(t, err, "product")
}
