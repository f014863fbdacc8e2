import { useState } from 'react';

const keyOf = (conversationId: string) => `gateway.draft.${conversationId}`;

/** An unsent text, kept in session storage like the key: it survives a reload and ends with the tab. */
export function useDraft(conversationId: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(keyOf(conversationId)) ?? '');
  const change = (value: string) => {
    setText(value);
    if (value === '') sessionStorage.removeItem(keyOf(conversationId));
    else sessionStorage.setItem(keyOf(conversationId), value);
  };
  return [text, change];
}
