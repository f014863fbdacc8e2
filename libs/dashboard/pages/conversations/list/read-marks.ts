import type { ConversationItem } from '#client';
import { Store } from '../../../store';

/** Which messages were seen in this browser. Earlier ones than `since`, when it was first used, count as seen. */
interface Marks {
  since: string;
  /** By conversation: when its newest message was stored that was seen. */
  seen: Readonly<Record<string, string>>;
}

const STORED = 'gateway.read';
const KEPT = 1_000;

const marks = new Store<Marks>(stored());

function stored(): Marks {
  const since = new Date().toISOString();
  try {
    const found = JSON.parse(localStorage.getItem(STORED) ?? 'null') as Marks | null;
    if (found) return found;
    localStorage.setItem(STORED, JSON.stringify({ since, seen: {} }));
  } catch {
    // Without storage, the marks end with the page.
  }
  return { since, seen: {} };
}

export const readMarks = {
  subscribe: marks.subscribe,
  get: marks.get,

  /** @param at when its newest message was stored */
  mark(id: string, at: string): void {
    const { since, seen } = marks.get();
    const { [id]: before = since, ...others } = seen;
    if (before >= at) return;
    // The newest is the last: the first ones are forgotten.
    const entries = Object.entries(others).slice(1 - KEPT);
    const next = { since, seen: Object.fromEntries([...entries, [id, at]]) };
    try {
      localStorage.setItem(STORED, JSON.stringify(next));
    } catch {
      // As above.
    }
    marks.set(next);
  },
};

/** Whether the person wrote last, and it was not seen. */
export function isUnread({ since, seen }: Marks, conversation: ConversationItem): boolean {
  const { id, last_message, last_message_at } = conversation;
  return last_message?.direction === 'inbound' && last_message_at > (seen[id] ?? since);
}
