-- +goose Up
-- Looks at our own pages. open_key is unique, so nobody has two under way.
CREATE TABLE verifications (
  id           text PRIMARY KEY,
  url          text NOT NULL,
  path         text NOT NULL,
  prompt       text NOT NULL CHECK (length(prompt) <= 1000),
  requested_by text NOT NULL CHECK (requested_by IN ('visitor', 'member', 'founder', 'schedule')),
  open_key     text UNIQUE CHECK (open_key <> ''),
  workflow_id  text NOT NULL,
  run_id       text NOT NULL,
  stage        text NOT NULL CHECK (stage IN ('requested', 'looking', 'comparing', 'commenting', 'ended')),
  checked      text NOT NULL CHECK (checked IN ('', 'active', 'warning', 'error')),
  verdict      text NOT NULL CHECK (verdict IN ('', 'active', 'warning', 'error')),
  reason       text NOT NULL,
  code         text NOT NULL,
  passed       integer NOT NULL CHECK (passed >= 0),
  failed       integer NOT NULL CHECK (failed >= 0),
  checks       text NOT NULL,
  comment      text,
  call_id      text REFERENCES model_calls (id),
  requested_at datetime NOT NULL,
  ended_at     datetime,
  CHECK ((stage = 'ended') = (ended_at IS NOT NULL)),
  CHECK ((stage = 'ended') = (open_key IS NULL)),
  CHECK ((stage = 'ended') = (checked <> '')),
  CHECK ((stage = 'ended') = (verdict <> '')),
  -- A comment can lower a verdict, never raise it.
  CHECK (checked <> 'error' OR verdict = 'error'),
  CHECK (checked <> 'warning' OR verdict IN ('warning', 'error')),
  CHECK (verdict <> 'active' OR failed = 0),
  CHECK (comment IS NOT NULL OR call_id IS NULL)
);
CREATE INDEX verifications_by_time ON verifications (requested_at DESC);
CREATE INDEX verifications_by_end ON verifications (url, ended_at DESC);

-- The looks of pages that founders approved. current_key is unique, so one of each view counts.
CREATE TABLE verification_baselines (
  id          text PRIMARY KEY,
  path        text NOT NULL,
  theme       text NOT NULL CHECK (theme IN ('light', 'dark')),
  viewport    text NOT NULL,
  current_key text UNIQUE,
  picture     text NOT NULL CHECK (length(picture) = 64),
  width       integer NOT NULL CHECK (width > 0),
  height      integer NOT NULL CHECK (height > 0),
  masks       text NOT NULL,
  run_id      text NOT NULL,
  reason      text NOT NULL CHECK (reason <> ''),
  approved_by text NOT NULL,
  approved_at datetime NOT NULL
);
CREATE INDEX verification_baselines_by_path ON verification_baselines (path, approved_at DESC);

-- What was seen in each view.
CREATE TABLE verification_shots (
  run_id      text NOT NULL REFERENCES verifications (id),
  theme       text NOT NULL CHECK (theme IN ('light', 'dark')),
  viewport    text NOT NULL,
  picture     text NOT NULL CHECK (length(picture) IN (0, 64)),
  facts       text,
  error       text NOT NULL,
  code        text NOT NULL,
  baseline_id text REFERENCES verification_baselines (id),
  diff        text NOT NULL CHECK (length(diff) IN (0, 64)),
  changed     real CHECK (changed >= 0 AND changed <= 1),
  taken_at    datetime NOT NULL,
  PRIMARY KEY (run_id, theme, viewport),
  CHECK ((picture = '') = (error <> '')),
  CHECK (changed IS NULL OR baseline_id IS NOT NULL),
  CHECK (diff = '' OR baseline_id IS NOT NULL)
);

-- Runs of the front page, counted by day: runs themselves are not kept for long.
CREATE TABLE verification_days (
  day     text PRIMARY KEY CHECK (length(day) = 10),
  active  integer NOT NULL CHECK (active >= 0),
  warning integer NOT NULL CHECK (warning >= 0),
  broken  integer NOT NULL CHECK (broken >= 0)
);

-- Whether the worker's browser works, as last seen.
CREATE TABLE browsers (
  id      text PRIMARY KEY CHECK (id = 'browser'),
  ready   boolean NOT NULL,
  message text NOT NULL,
  version text NOT NULL,
  seen_at datetime
);
INSERT INTO browsers (id, ready, message, version) VALUES ('browser', false, 'No worker has looked for it yet.', '');

-- Pictures of the cell before it was broken, while it was, and healed.
CREATE TABLE chaos_shots (
  chaos_id text NOT NULL REFERENCES chaos_runs (id),
  moment   text NOT NULL CHECK (moment IN ('before', 'broken', 'healed')),
  path     text NOT NULL,
  picture  text NOT NULL CHECK (length(picture) IN (0, 64)),
  width    integer NOT NULL CHECK (width >= 0),
  height   integer NOT NULL CHECK (height >= 0),
  error    text NOT NULL,
  failing  bigint NOT NULL CHECK (failing >= 0),
  steady   boolean NOT NULL,
  opinion  text NOT NULL CHECK (opinion IN ('well', 'broken', 'unclear')),
  says     text NOT NULL,
  said_by  text NOT NULL,
  taken_at datetime NOT NULL,
  PRIMARY KEY (chaos_id, moment),
  CHECK ((picture = '') = (error <> ''))
);
