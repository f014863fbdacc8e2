import { Drawer } from '@mantine/core';
import { useOpened } from '../../components/hooks/use-opened';
import { SideBar } from './side-bar';

/** The navigation of narrow screens. */
export default function Menu({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={useOpened(opened)}
      onClose={onClose}
      size={280}
      padding={0}
      withCloseButton={false}
      styles={{ header: { display: 'none' } }}
      title="Menu"
    >
      <SideBar onNavigate={onClose} />
    </Drawer>
  );
}
