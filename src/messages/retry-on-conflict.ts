import { setTimeout as sleep } from 'node:timers/promises';

/** PostgreSQL: a foreign key, a unique key other than the expected one, or the check of merged conversations was violated. */
const CONFLICT_CODES = new Set(['23503', '23505', '23514']);

const ATTEMPTS = 5;
/** A transaction that gives a participant another id takes some milliseconds. */
const PAUSE_MS = 20;

/** The conversation exists under another id than the one that was looked up, and the statement changed nothing. */
export class ConversationMovedError extends Error {
  constructor() {
    super('the conversation exists under another id');
  }
}

/**
 * Retries a statement whose conversation id is outdated: since the caller looked it up, another statement has opened the
 * conversation, or the platform has renamed its participant. @param forget drops the id, so that the retry looks it up again
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>, forget: () => void): Promise<T> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      const isConflict =
        error instanceof ConversationMovedError || CONFLICT_CODES.has((error as { code?: string }).code ?? '');
      if (!isConflict) throw error;
      forget();
      if (left === 1) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
