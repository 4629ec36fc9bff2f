-- +goose Up
-- A handle belongs to the number that came with it first, also when its account has another
-- one by now: handles that were given up can be had by anybody at X.
CREATE TABLE x_handles (
  handle_key text PRIMARY KEY,
  x_user_id  text NOT NULL,
  since      timestamptz NOT NULL
);
CREATE INDEX x_handles_by_user ON x_handles (x_user_id);
INSERT INTO x_handles SELECT x_handle_key, x_user_id, created_at FROM accounts WHERE x_user_id IS NOT NULL;
