import { lazy, Suspense, useState } from 'react';

const load = () => import('./menu');
const Drawer = lazy(load);

/** Wide screens never load it; it stays once it has been opened, to close smoothly. */
export function Menu(props: { opened: boolean; onClose: () => void }) {
  const [wanted, setWanted] = useState(false);
  if (props.opened && !wanted) setWanted(true);
  return wanted ? (
    <Suspense fallback={null}>
      <Drawer {...props} />
    </Suspense>
  ) : null;
}
