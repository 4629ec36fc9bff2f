-- +goose Up
-- Runs that break the cell. open_key is unique, so only one is open at a time.
CREATE TABLE chaos_runs (
  id           text PRIMARY KEY,
  fault        text NOT NULL,
  source       text NOT NULL,
  requested_by text NOT NULL CHECK (requested_by IN ('visitor', 'member', 'founder', 'schedule')),
  replay_of    text REFERENCES chaos_runs (id),
  open_key     text UNIQUE CHECK (open_key = 'cell'),
  workflow_id  text NOT NULL,
  run_id       text NOT NULL,
  stage        text NOT NULL CHECK (stage IN ('requested', 'checking', 'breaking', 'watching', 'ended')),
  verdict      text NOT NULL CHECK (verdict IN ('', 'healed', 'healed_late', 'failed', 'aborted')),
  reason       text NOT NULL,
  restored     boolean NOT NULL,
  promise_ms   integer NOT NULL CHECK (promise_ms > 0),
  lease_ms     integer NOT NULL CHECK (lease_ms > 0),
  detect_ms    integer CHECK (detect_ms >= 0),
  heal_ms      integer CHECK (heal_ms >= detect_ms),
  requested_at timestamptz NOT NULL,
  injected_at  timestamptz,
  lease_until  timestamptz,
  ended_at     timestamptz,
  CHECK ((stage = 'ended') = (open_key IS NULL)),
  CHECK ((stage = 'ended') = (verdict <> '')),
  CHECK ((stage = 'ended') = (ended_at IS NOT NULL)),
  CHECK (injected_at IS NULL OR lease_until IS NOT NULL),
  CHECK (stage <> 'watching' OR injected_at IS NOT NULL),
  CHECK (heal_ms IS NULL OR (detect_ms IS NOT NULL AND injected_at IS NOT NULL)),
  CHECK (verdict NOT IN ('healed', 'healed_late') OR (restored AND heal_ms IS NOT NULL)),
  CHECK (verdict NOT IN ('failed', 'aborted') OR heal_ms IS NULL)
);
CREATE INDEX chaos_runs_by_time ON chaos_runs (requested_at DESC);
CREATE INDEX chaos_runs_by_end ON chaos_runs (ended_at);
CREATE INDEX chaos_runs_by_replay ON chaos_runs (replay_of);

-- Their probes, in stretches of some seconds.
CREATE TABLE chaos_probes (
  run_id text NOT NULL REFERENCES chaos_runs (id),
  part   integer NOT NULL CHECK (part >= 0),
  data   bytea NOT NULL,
  PRIMARY KEY (run_id, part)
);

-- What the healer found and did.
CREATE TABLE incidents (
  id          text PRIMARY KEY,
  open_key    text UNIQUE CHECK (open_key = 'cell'),
  failing     bigint NOT NULL CHECK (failing >= 0),
  steps       text NOT NULL,
  alarm       text NOT NULL,
  workflow_id text NOT NULL,
  run_id      text NOT NULL,
  opened_at   timestamptz NOT NULL,
  sick_at     timestamptz NOT NULL,
  alarm_at    timestamptz,
  ended_at    timestamptz,
  CHECK ((open_key IS NULL) = (ended_at IS NOT NULL)),
  CHECK (sick_at >= opened_at),
  CHECK ((alarm = '') = (alarm_at IS NULL))
);
CREATE INDEX incidents_by_time ON incidents (opened_at DESC);

-- What was last seen of the cell, and whether it may be broken.
CREATE TABLE cells (
  id            text PRIMARY KEY CHECK (id = 'cell'),
  seen_at       timestamptz,
  failing       bigint NOT NULL CHECK (failing >= 0),
  process       integer NOT NULL,
  started_at    timestamptz,
  files         text NOT NULL,
  note          text NOT NULL,
  verifier      text NOT NULL,
  chaos_on      boolean NOT NULL,
  switched_by   text NOT NULL,
  switch_reason text NOT NULL,
  switched_at   timestamptz
);
INSERT INTO cells (id, failing, process, files, note, verifier, chaos_on, switched_by, switch_reason)
VALUES ('cell', 0, 0, '[]', '', '', true, '', '');

-- Whether a stored history still replays with the code that was running then.
CREATE TABLE history_checks (
  workflow_id text NOT NULL,
  run_id      text NOT NULL,
  passed      boolean NOT NULL,
  events      integer NOT NULL,
  message     text NOT NULL,
  build       text NOT NULL,
  checked_at  timestamptz NOT NULL,
  PRIMARY KEY (workflow_id, run_id)
);

ALTER TABLE letters DROP CONSTRAINT letters_kind_check;
ALTER TABLE letters ADD CONSTRAINT letters_kind_check
  CHECK (kind IN ('login_code', 'address_code', 'welcome', 'post_trouble', 'receipt', 'refund', 'paid_twice',
                  'review_asked', 'review_done', 'series_paused', 'cell_alarm'));
