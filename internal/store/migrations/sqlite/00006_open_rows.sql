-- The dispatcher checks twice a minute whether every open row has its run.

-- +goose NO TRANSACTION
-- +goose Up
CREATE INDEX IF NOT EXISTS generation_candidates_open ON generation_candidates (state, generation_id) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS diagnoses_open ON diagnoses (created_at, id) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS x_logins_open ON x_logins (created_at, id) WHERE state <> 'ended';
CREATE INDEX IF NOT EXISTS checkouts_paid ON checkouts (code) WHERE state = 'paid';
CREATE INDEX IF NOT EXISTS posts_to_decide ON posts (status) WHERE open_key IS NOT NULL;

-- Deleted data was not overwritten before: this removes what is left of it.
VACUUM;
