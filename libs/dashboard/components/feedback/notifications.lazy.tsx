import { lazy, Suspense, type ComponentType } from 'react';
import { loadNotifications } from './notify';

/** After this time, in milliseconds, even a busy browser loads the library. */
const LATEST_MS = 3_000;

const Region = lazy(async (): Promise<{ default: ComponentType<{ position: 'bottom-right' }> }> => {
  await idle();
  try {
    const library = await loadNotifications();
    return { default: library.Notifications };
  } catch {
    // The page works without notifications.
    return { default: () => null };
  }
});

/** The area for short messages. Loads its library after the page, before the network may fail. */
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
