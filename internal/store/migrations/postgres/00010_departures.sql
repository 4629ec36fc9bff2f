-- +goose Up
-- People who leave. account_id is there while their account is, and unique: nobody leaves twice at once.
CREATE TABLE departures (
  id           text PRIMARY KEY,
  account_id   text UNIQUE REFERENCES accounts (id),
  member_id    text REFERENCES members (id),
  stage        text NOT NULL CHECK (stage IN ('requested', 'leaving', 'ended')),
  posts        bigint  NOT NULL CHECK (posts >= 0),
  series       bigint  NOT NULL CHECK (series >= 0),
  votes        bigint  NOT NULL CHECK (votes >= 0),
  workflow_id  text NOT NULL,
  run_id       text NOT NULL,
  requested_at timestamptz NOT NULL,
  ended_at     timestamptz,
  CHECK ((stage = 'ended') = (ended_at IS NOT NULL)),
  CHECK ((stage = 'ended') = (account_id IS NULL))
);
CREATE INDEX departures_by_time ON departures (requested_at);

ALTER TABLE letters DROP CONSTRAINT letters_kind_check;
ALTER TABLE letters ADD CONSTRAINT letters_kind_check
  CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble', 'receipt', 'refund', 'paid_twice',
                  'review_asked', 'review_done', 'series_paused', 'cell_alarm', 'farewell'));
