import { useDocumentTitle } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';
import { waitingCount } from '../../live/handover/waiting-count';

/** The title of the tab, with the number of conversations that wait for a person. */
export function usePageTitle(title: string): void {
  const waiting = useSyncExternalStore(waitingCount.subscribe, waitingCount.get);
  useDocumentTitle(`${waiting > 0 ? `(${waiting}) ` : ''}${title} · Messaging Gateway`);
}
