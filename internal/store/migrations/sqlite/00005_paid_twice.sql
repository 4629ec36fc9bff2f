-- +goose Up
-- SQLite cannot change a CHECK; nothing refers to letters.
CREATE TABLE letters_new (
  id         text PRIMARY KEY,
  fact_key   text NOT NULL UNIQUE,
  kind       text NOT NULL
    CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble', 'receipt', 'refund', 'paid_twice')),
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
INSERT INTO letters_new SELECT * FROM letters;
DROP TABLE letters;
ALTER TABLE letters_new RENAME TO letters;
CREATE INDEX letters_by_state ON letters (state, created_at);

-- For those who want to be forgotten.
CREATE INDEX decisions_by_visitor ON decisions (visitor) WHERE visitor IS NOT NULL;
