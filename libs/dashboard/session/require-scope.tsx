import { Code, Text } from '@mantine/core';
import { LockClosedIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { EmptyState } from '../components/feedback/empty-state';
import type { Scope } from './session';
import { useMay, useSession } from './use-session';

/** Shows its children if the key has one of the scopes. Otherwise names the missing scope. */
export function RequireScope({ anyOf, children }: { anyOf: readonly [Scope, ...Scope[]]; children: ReactNode }) {
  const { environment, scopes } = useSession();
  if (useMay(...anyOf)) return children;
  return (
    <EmptyState icon={<LockClosedIcon />} title="Your key may not see this page">
      <Text c="dimmed" size="sm">
        It requires the scope{' '}
        {anyOf.map((scope, index) => (
          <span key={scope}>
            {index > 0 && ' or '}
            <Code>{scope}</Code>
          </span>
        ))}
        . Your key has: {scopes[environment]?.join(', ') || 'no scopes'}. Ask someone who can create keys for one with
        this scope.
      </Text>
    </EmptyState>
  );
}
