import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { PAGES } from '../navigation';
import { useEver } from '../use-ever';
import { shortcuts } from './shortcut-keys';

const Dialog = lazy(() => import('./shortcuts-dialog'));

export function showShortcuts(): void {
  shortcuts.show(true);
}

/** Handles the shortcuts. The dialog that lists them is loaded at the first use. */
export function Shortcuts() {
  const state = useSyncExternalStore(shortcuts.subscribe, shortcuts.get);
  const router = useRouter();
  const isLoaded = useEver(state.shown);

  useEffect(
    () =>
      shortcuts.listen(
        (key) => {
          const page = PAGES.find((item) => item.key === key);
          if (page) void router.navigate({ to: page.to });
        },
        () => router.navigate({ to: '/conversations' }),
      ),
    [router],
  );

  return isLoaded ? (
    <Suspense fallback={null}>
      <Dialog {...state} />
    </Suspense>
  ) : null;
}
