import { Button, Group, Modal, Stack } from '@mantine/core';
import { useEffect, type FormEvent, type ReactNode } from 'react';
import { FaultAlert } from './feedback/fault-alert';
import { showFirstFault } from './show-first-fault';
import { useFocusReturn } from './hooks/use-focus-return';

interface FormModalProps {
  title: string;
  /** The text of the submit button. */
  submit: string;
  size?: 'md' | 'lg';
  /** The request that the form makes. */
  request: { error: unknown; isPending: boolean };
  disabled?: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog. Shows the gateway's errors above the buttons. */
export function FormModal({
  title,
  submit,
  size = 'md',
  request,
  disabled = false,
  onSubmit,
  onClose,
  children,
}: FormModalProps) {
  useFocusReturn();
  useEffect(() => {
    if (request.error != null) showFirstFault();
  }, [request.error]);
  return (
    <Modal opened onClose={onClose} title={title} size={size}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(event);
        }}
      >
        <Stack>
          {children}
          {request.error != null && <FaultAlert error={request.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={disabled} loading={request.isPending}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
