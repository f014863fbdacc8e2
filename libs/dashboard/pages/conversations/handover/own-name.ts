import type { ConversationItem } from '#client';

/** Local storage key of the last entered name. */
const STORED = 'gateway.assignee';

export const ownName = {
  get: (): string | null => localStorage.getItem(STORED),
  set: (name: string): void => localStorage.setItem(STORED, name),
};

/** Whether the viewer has the conversation; before the viewer gave a name, whether any person has it. */
export function isMine({ handling, handover }: Pick<ConversationItem, 'handling' | 'handover'>): boolean {
  const name = ownName.get();
  return handling === 'human' && (name === null || handover?.assignee === name);
}
