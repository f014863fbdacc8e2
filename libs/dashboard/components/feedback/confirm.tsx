import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFocusReturn } from '../hooks/use-focus-return';

interface ConfirmProps {
  opened: boolean;
  title: string;
  /** The consequence, and whether it can be undone. */
  children: ReactNode;
  confirm: string;
  busy?: boolean;
  danger?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ opened, ...props }: ConfirmProps) {
  return opened ? <Asked {...props} /> : null;
}

function Asked({
  title,
  children,
  confirm,
  busy = false,
  danger = true,
  onConfirm,
  onClose,
}: Omit<ConfirmProps, 'opened'>) {
  useFocusReturn();
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button className={danger ? 'danger' : undefined} loading={busy} onClick={onConfirm}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
