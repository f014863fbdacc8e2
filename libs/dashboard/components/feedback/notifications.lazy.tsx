import { lazy, Suspense, type ComponentType } from 'react';
import { loadNotifications } from './notify';

/** Milliseconds after which a busy browser loads it all the same. */
const LATEST_MS = 3_000;

const Region = lazy(async (): Promise<{ default: ComponentType<{ position: 'bottom-right' }> }> => {
  await idle();
  try {
    const library = await loadNotifications();
    return { default: library.Notifications };
  } catch {
    // Not a reason to show nothing at all.
    return { default: () => null };
  }
});

/** Where short messages appear. Its library is loaded after the page, while the network is there. */
export function Notifications() {
  return (
    <Suspense fallback={null}>
      <Region position="bottom-right" />
    </Suspense>
  );
}

function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    // Safari has no requestIdleCallback.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: LATEST_MS });
    else setTimeout(resolve, LATEST_MS);
  });
}
