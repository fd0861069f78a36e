-- Messages of webhooks that operators have tried again when they were dead.

ALTER TABLE webhook_messages ADD COLUMN is_retried boolean NOT NULL DEFAULT false;
