import type { Integration, Status } from '#client';

/** An account; a platform without accounts has an item without an id. */
export type Account = Integration & { id: string; name: string };

/** The accounts of a platform, in brief. */
export function accountsOf(status: Status | undefined, platform: string) {
  const state = status?.integrations[platform];
  // The short form of the status is only a word.
  return typeof state === 'object' ? state.accounts : [];
}

export function isAccount(item: Integration): item is Account {
  return item.id !== null;
}
