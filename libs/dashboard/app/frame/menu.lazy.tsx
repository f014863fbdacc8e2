import { lazy, Suspense } from 'react';
import { useEver } from '../use-ever';

const load = () => import('./menu');
const Drawer = lazy(load);

/** Loaded at the first use, so wide screens never load it. */
export function Menu(props: { opened: boolean; onClose: () => void }) {
  return useEver(props.opened) ? (
    <Suspense fallback={null}>
      <Drawer {...props} />
    </Suspense>
  ) : null;
}
