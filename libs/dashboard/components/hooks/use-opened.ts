import { useEffect, useState } from 'react';

/** `opened` after the first render: a dialog remembers what had the focus when it opens, not when it is mounted. */
export function useOpened(opened: boolean): boolean {
  const [shown, setShown] = useState(false);
  useEffect(() => setShown(opened), [opened]);
  return shown;
}
