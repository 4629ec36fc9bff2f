-- +goose Up

-- Browsers in which an account was logged in.
CREATE TABLE devices (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id),
  token_hash text NOT NULL UNIQUE,
  name       text NOT NULL,
  created_at datetime NOT NULL,
  seen_at    datetime NOT NULL
);
CREATE INDEX devices_by_account ON devices (account_id, seen_at);
CREATE INDEX devices_by_time ON devices (seen_at);

-- Replaced email addresses, which their owners can restore for some days.
CREATE TABLE address_changes (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id),
  token_hash text NOT NULL UNIQUE,
  email      text NOT NULL,
  created_at datetime NOT NULL,
  expires_at datetime NOT NULL
);
CREATE INDEX address_changes_by_account ON address_changes (account_id);
CREATE INDEX address_changes_by_end ON address_changes (expires_at);

ALTER TABLE accounts ADD COLUMN avatar text NOT NULL DEFAULT '';

-- Strangers can add these rows; old ones are deleted.
CREATE INDEX diagnoses_by_time ON diagnoses (created_at);
CREATE INDEX x_logins_by_end ON x_logins (expires_at);

-- SQLite cannot change a constraint; nothing refers to emails.
CREATE TABLE emails_new (
  id              text PRIMARY KEY,
  idempotency_key text NOT NULL UNIQUE,
  kind            text NOT NULL
    CHECK (kind IN ('login_code', 'address_code', 'new_device', 'address_changed', 'welcome', 'idea_reviewed', 'post_trouble', 'receipt',
                    'refund', 'paid_twice', 'membership_changed', 'payment_alarm', 'review_asked', 'review_done', 'recurring_post_paused', 'chaos_target_alarm', 'farewell')),
  account_id      text REFERENCES accounts (id),
  secret_id       text REFERENCES secrets (id),
  state           text NOT NULL CHECK (state IN ('pending', 'sent', 'failed', 'skipped')),
  tries           integer NOT NULL CHECK (tries >= 0),
  code            text NOT NULL,
  reason          text NOT NULL,
  run_id          text NOT NULL,
  created_at      datetime NOT NULL,
  expires_at      datetime NOT NULL,
  ended_at        datetime,
  CHECK ((state = 'pending') = (ended_at IS NULL)),
  CHECK (state IN ('pending', 'failed') OR secret_id IS NULL)
);
INSERT INTO emails_new SELECT * FROM emails;
DROP TABLE emails;
ALTER TABLE emails_new RENAME TO emails;
CREATE INDEX emails_by_state ON emails (state, created_at);
CREATE INDEX emails_by_account ON emails (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX emails_by_kind ON emails (kind, created_at);
