/** PostgreSQL: a foreign key, or a unique key other than the expected one, was violated. */
const CONFLICT_CODES = new Set(['23503', '23505']);

const ATTEMPTS = 3;

/** The conversation exists under another id than the one that was looked up, and the statement changed nothing. */
export class ConversationMovedError extends Error {
  constructor() {
    super('the conversation exists under another id');
  }
}

/**
 * The caller looks a conversation's id up before the statement that uses it. If another statement opens the
 * conversation in between, or the platform renames its participant, it fails, and a second look-up finds the right id.
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
    }
  }
}
