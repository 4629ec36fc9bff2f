-- +goose Up
-- People who leave. account_id is there while their account is, and unique: nobody leaves twice at once.
CREATE TABLE departures (
  id           text PRIMARY KEY,
  account_id   text UNIQUE REFERENCES accounts (id),
  member_id    text REFERENCES members (id),
  stage        text NOT NULL CHECK (stage IN ('requested', 'leaving', 'ended')),
  posts        integer NOT NULL CHECK (posts >= 0),
  series       integer NOT NULL CHECK (series >= 0),
  votes        integer NOT NULL CHECK (votes >= 0),
  workflow_id  text NOT NULL,
  run_id       text NOT NULL,
  requested_at datetime NOT NULL,
  ended_at     datetime,
  CHECK ((stage = 'ended') = (ended_at IS NOT NULL)),
  CHECK ((stage = 'ended') = (account_id IS NULL))
);
CREATE INDEX departures_by_time ON departures (requested_at);

-- SQLite cannot change a CHECK; nothing refers to letters.
CREATE TABLE letters_new (
  id         text PRIMARY KEY,
  fact_key   text NOT NULL UNIQUE,
  kind       text NOT NULL
    CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble', 'receipt', 'refund', 'paid_twice',
                    'review_asked', 'review_done', 'series_paused', 'cell_alarm', 'farewell')),
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
