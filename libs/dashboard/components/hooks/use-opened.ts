import { useEffect, useState } from 'react';

/** `opened`, but false in the first render. Mantine remembers the focused element when a dialog opens, not when it mounts open. */
export function useOpened(opened: boolean): boolean {
  const [shown, setShown] = useState(false);
  useEffect(() => setShown(opened), [opened]);
  return shown;
}
