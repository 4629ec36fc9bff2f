-- +goose Up
-- Addresses belong to accounts: they are how people log in.
ALTER TABLE members DROP COLUMN email;

CREATE TABLE accounts (
  id           text PRIMARY KEY,
  x_user_id    text UNIQUE,
  x_handle     text NOT NULL,
  x_handle_key text UNIQUE,
  email        text UNIQUE,
  member_id    text UNIQUE REFERENCES members (id),
  notices      boolean NOT NULL,
  created_at   datetime NOT NULL,
  CHECK (x_user_id IS NOT NULL OR email IS NOT NULL),
  CHECK ((x_user_id IS NULL) = (x_handle_key IS NULL))
);

CREATE TABLE sessions (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id),
  token_hash text NOT NULL UNIQUE,
  provider   text NOT NULL CHECK (provider IN ('x', 'email', 'dev')),
  scope      text NOT NULL CHECK (scope IN ('', 'credentials')),
  device     text NOT NULL,
  created_at datetime NOT NULL,
  seen_at    datetime NOT NULL,
  expires_at datetime NOT NULL,
  CHECK (expires_at > created_at)
);
CREATE INDEX sessions_by_account ON sessions (account_id, seen_at);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE secrets (
  id         text PRIMARY KEY,
  key_id     text NOT NULL,
  sealed     text NOT NULL,
  created_at datetime NOT NULL
);
CREATE INDEX secrets_by_key ON secrets (key_id, id);

CREATE TABLE login_codes (
  id         text PRIMARY KEY,
  purpose    text NOT NULL CHECK (purpose IN ('login', 'address')),
  subject    text NOT NULL,
  live_key   text UNIQUE,
  account_id text REFERENCES accounts (id),
  address    text NOT NULL,
  mark       text NOT NULL,
  tries      integer NOT NULL CHECK (tries BETWEEN 0 AND 5),
  created_at datetime NOT NULL,
  expires_at datetime NOT NULL
);
CREATE INDEX login_codes_by_end ON login_codes (expires_at);

CREATE TABLE claims (
  id         text PRIMARY KEY,
  account_id text NOT NULL REFERENCES accounts (id),
  token_hash text NOT NULL UNIQUE,
  used_at    datetime,
  created_at datetime NOT NULL,
  expires_at datetime NOT NULL
);

CREATE TABLE rate_windows (
  bucket    text PRIMARY KEY,
  starts_at datetime NOT NULL,
  ends_at   datetime NOT NULL,
  used      integer NOT NULL,
  allowed   integer NOT NULL,
  CHECK (used >= 0 AND used <= allowed)
);
CREATE INDEX rate_windows_by_end ON rate_windows (ends_at);

CREATE TABLE letters (
  id         text PRIMARY KEY,
  fact_key   text NOT NULL UNIQUE,
  kind       text NOT NULL CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble')),
  account_id text REFERENCES accounts (id),
  secret_id  text REFERENCES secrets (id),
  state      text NOT NULL CHECK (state IN ('pending', 'sent', 'dead', 'void')),
  tries      integer NOT NULL CHECK (tries >= 0),
  code       text NOT NULL,
  reason     text NOT NULL,
  run_id     text NOT NULL,
  created_at datetime NOT NULL,
  expires_at datetime NOT NULL,
  ended_at   datetime,
  CHECK ((state = 'pending') = (ended_at IS NULL)),
  CHECK (state IN ('pending', 'dead') OR secret_id IS NULL)
);
CREATE INDEX letters_by_state ON letters (state, created_at);

CREATE TABLE x_logins (
  id           text PRIMARY KEY,
  browser_hash text NOT NULL,
  token_hash   text UNIQUE,
  secret_id    text REFERENCES secrets (id),
  next         text NOT NULL,
  device       text NOT NULL,
  state        text NOT NULL CHECK (state IN ('asking', 'away', 'back', 'ended')),
  outcome      text NOT NULL,
  detail       text NOT NULL,
  account_id   text REFERENCES accounts (id),
  run_id       text NOT NULL,
  created_at   datetime NOT NULL,
  expires_at   datetime NOT NULL,
  CHECK (state <> 'away' OR (token_hash IS NOT NULL AND secret_id IS NOT NULL)),
  CHECK (state <> 'ended' OR (outcome <> '' AND secret_id IS NULL))
);

CREATE TABLE connections (
  id          text PRIMARY KEY,
  state       text NOT NULL CHECK (state IN ('candidate', 'current', 'removed', 'refused')),
  secret_id   text REFERENCES secrets (id),
  user_id     text NOT NULL,
  username    text NOT NULL,
  fingerprint text NOT NULL,
  code        text NOT NULL,
  reason      text NOT NULL,
  account_id  text REFERENCES accounts (id),
  run_id      text NOT NULL,
  created_at  datetime NOT NULL,
  ended_at    datetime,
  CHECK (state IN ('candidate', 'current') OR secret_id IS NULL),
  CHECK (state NOT IN ('candidate', 'current') OR secret_id IS NOT NULL)
);

CREATE TABLE provider_keys (
  id          text PRIMARY KEY,
  state       text NOT NULL CHECK (state IN ('candidate', 'current', 'previous', 'dropped', 'refused')),
  secret_id   text REFERENCES secrets (id),
  fingerprint text NOT NULL,
  code        text NOT NULL,
  reason      text NOT NULL,
  account_id  text REFERENCES accounts (id),
  run_id      text NOT NULL,
  created_at  datetime NOT NULL,
  ends_at     datetime,
  CHECK (state NOT IN ('dropped', 'refused') OR secret_id IS NULL),
  CHECK (state <> 'previous' OR ends_at IS NOT NULL)
);

CREATE TABLE diagnoses (
  id              text PRIMARY KEY,
  visitor         text NOT NULL,
  provider_key_id text REFERENCES provider_keys (id),
  run_id          text NOT NULL,
  created_at      datetime NOT NULL,
  ended_at        datetime
);
CREATE INDEX diagnoses_by_visitor ON diagnoses (visitor, created_at);

CREATE TABLE findings (
  diagnosis_id text NOT NULL REFERENCES diagnoses (id),
  step         text NOT NULL CHECK (step IN ('env', 'signature', 'request_token', 'account')),
  ok           boolean NOT NULL,
  code         text NOT NULL,
  problem      text NOT NULL,
  remedy       text NOT NULL,
  facts        text NOT NULL,
  measures     text NOT NULL,
  raw          text NOT NULL,
  created_at   datetime NOT NULL,
  PRIMARY KEY (diagnosis_id, step)
);

-- One row: what posting needs to know of the bot. Arming a post locks it.
CREATE TABLE bot (
  id              integer PRIMARY KEY CHECK (id = 1),
  connection_id   text REFERENCES connections (id),
  provider_key_id text REFERENCES provider_keys (id)
);
INSERT INTO bot (id) VALUES (1);

CREATE TABLE audit_entries (
  id          text PRIMARY KEY,
  at          datetime NOT NULL,
  account_id  text REFERENCES accounts (id),
  actor       text NOT NULL,
  action      text NOT NULL,
  outcome     text NOT NULL,
  detail      text NOT NULL,
  workflow_id text NOT NULL,
  run_id      text NOT NULL
);
CREATE INDEX audit_entries_by_time ON audit_entries (at, id);
