import { Button, Group, Text } from '@mantine/core';
import { ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { faultOf } from '../../api/fault';
import { CopyButton } from '../copy/copy-button';
import { Notice } from './notice';

/** An error message, with the request id for the gateway's operator. */
export function FaultAlert({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, text, requestId } = faultOf(error);
  return (
    <Notice tone="bad" icon={<ExclamationTriangleIcon />} title={title} role="alert">
      <Text size="sm">{text}</Text>
      {(requestId !== undefined || onRetry) && (
        <Group gap="xs" mt="xs">
          {requestId !== undefined && (
            <Group gap={4}>
              <Text size="xs" c="dimmed" className="mono">
                {requestId}
              </Text>
              <CopyButton value={requestId} label="request id" />
            </Group>
          )}
          {onRetry && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </Group>
      )}
    </Notice>
  );
}
