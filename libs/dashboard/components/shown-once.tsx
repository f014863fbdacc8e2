import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useState, type ReactNode } from 'react';
import { CodeBlock } from './copy/code-block';
import { CopyTextButton } from './copy/copy-button';
import { Notice } from './feedback/notice';
import { useFocusReturn } from './hooks/use-focus-return';

interface ShownOnceProps {
  title: string;
  /** The word for the value: "key", "secret". */
  label: string;
  name?: string;
  value: string;
  /** An example of its use. */
  use: { title: string; code: string; label: string };
  children?: ReactNode;
  onClose: () => void;
}

/** Shows a secret value that the gateway returns only once. Closes only after the person copies or confirms it. */
export function ShownOnce({ title, label, name, value, use, children, onClose }: ShownOnceProps) {
  useFocusReturn();
  const [isKept, setKept] = useState(false);
  const keep = () => setKept(true);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={isKept}
      withCloseButton={isKept}
    >
      <Stack>
        <Notice icon={<ExclamationTriangleIcon />}>
          Copy the {label} now: the gateway shows it only once. {children}
        </Notice>
        <div>
          {name !== undefined && (
            <Text size="sm" fw={550} mb={6} dir="auto">
              {name}
            </Text>
          )}
          <CodeBlock code={value} label={label} onCopied={keep} />
        </div>
        <div>
          <Text size="sm" fw={550} mb={6}>
            {use.title}
          </Text>
          <CodeBlock code={use.code} label={use.label} />
        </div>
        <Group justify="flex-end" gap="xs">
          <CopyTextButton value={value} onCopied={keep}>{`Copy the ${label}`}</CopyTextButton>
          <Button onClick={onClose}>{isKept ? 'Done' : `I have stored the ${label}`}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
