import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** The key that asked the AI; the assistant if there is none. */
export function CostOrigin({ keyId, name }: { keyId: string | undefined; name: string | undefined }) {
  if (!keyId) return <Text size="sm">The assistant</Text>;
  return (
    <Anchor size="sm" renderRoot={(props) => <Link to="/api-keys/$keyId" params={{ keyId }} {...props} />}>
      {name ?? keyId}
    </Anchor>
  );
}
