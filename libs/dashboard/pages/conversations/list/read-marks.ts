import type { ConversationItem } from '#client';
import { Store } from '../../../store';

/** Which messages this browser has shown. Messages before `since`, the first use, count as read. */
interface Marks {
  since: string;
  /** Conversation id → `last_message_at` when it was last read. */
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

  /** Marks a conversation as read. @param at its `last_message_at` */
  mark(id: string, at: string): void {
    const { since, seen } = marks.get();
    const { [id]: before = since, ...others } = seen;
    if (before >= at) return;
    // Entries are in order of time. Drops the oldest.
    const entries = Object.entries(others).slice(1 - KEPT);
    const next = { since, seen: Object.fromEntries([...entries, [id, at]]) };
    try {
      localStorage.setItem(STORED, JSON.stringify(next));
    } catch {
      // Without storage, the marks end with the page.
    }
    marks.set(next);
  },
};

/** Whether the last message is the person's and unread. */
export function isUnread({ since, seen }: Marks, conversation: ConversationItem): boolean {
  const { id, last_message, last_message_at } = conversation;
  return last_message?.direction === 'inbound' && last_message_at > (seen[id] ?? since);
}
