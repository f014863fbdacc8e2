import { Code, Text } from '@mantine/core';
import { LockClosedIcon } from '@radix-ui/react-icons';
import type { Timeline } from '#client';
import { Notice } from '../../components/feedback/notice';
import type { Scope } from '../../session/session';

/** Steps that need another scope → their names and that scope. */
const WORDS: Readonly<Partial<Record<Timeline['omitted'][number], { what: string; scope: Scope }>>> = {
  asked: { what: 'what the AI was asked', scope: 'read:status' },
  answered: { what: 'what the AI answered, and its cost', scope: 'read:status' },
  webhook: { what: 'deliveries to webhooks', scope: 'admin:settings' },
  audit: { what: 'the audit log', scope: 'admin:settings' },
};

/** Says which steps the key may not see, and which scope shows them. */
export function Omitted({ steps }: { steps: Timeline['omitted'] }) {
  if (steps.length === 0) return null;
  return (
    <Notice tone="neutral" icon={<LockClosedIcon />} title="Your key may not see everything">
      {steps.map((step) => {
        const { what, scope } = WORDS[step] ?? { what: step, scope: undefined };
        return (
          <Text key={step} size="sm">
            Your key may not see: {what}
            {scope && (
              <>
                {' '}
                (needs <Code>{scope}</Code>)
              </>
            )}
          </Text>
        );
      })}
    </Notice>
  );
}
