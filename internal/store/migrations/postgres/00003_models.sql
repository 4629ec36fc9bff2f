-- +goose Up

-- The built-in writers and the built-in prices are formulas. They were stored as models; no model read a prompt.
UPDATE price_decisions SET source = 'rules', model = '', prompt = '', call_id = NULL WHERE model = 'builtin-1';
UPDATE posts SET made_with_ai = false
WHERE candidate_id IN (SELECT id FROM generation_candidates WHERE model IN ('builtin-1', 'builtin-brief-1'));
UPDATE generation_candidates SET model = 'template-1', prompt = '', call_id = NULL
WHERE model = 'builtin-1' AND ended_at IS NOT NULL;
UPDATE generation_candidates SET model = 'template-brief-1', prompt = '', call_id = NULL
WHERE model = 'builtin-brief-1' AND ended_at IS NOT NULL;

-- A view whose page timed out is opened once more.
ALTER TABLE verification_screenshots ADD COLUMN retried boolean NOT NULL DEFAULT false;
