import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { useEver } from '../use-ever';
import { palette } from './palette-state';

const Dialog = lazy(() => import('./palette-dialog'));

/** Ctrl+K opens the palette. Its dialog is loaded at the first use. */
export function Palette() {
  const shown = useSyncExternalStore(palette.subscribe, palette.get);
  useHotkeys([['mod+K', () => palette.set(!palette.get())]], []);
  return useEver(shown) ? (
    <Suspense fallback={null}>
      <Dialog shown={shown} />
    </Suspense>
  ) : null;
}
