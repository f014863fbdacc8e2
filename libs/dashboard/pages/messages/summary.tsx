import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Timeline } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { noAnswer } from '../../components/messages/no-answer';
import { useMay } from '../../session/use-session';
import { TakeOverForm } from '../conversations/handover/take-over-form';
import { UnansweredActions } from '../conversations/handover/unanswered-actions';
import classes from './timeline-steps.module.css';

/** Says in one sentence what became of the message. */
export function Summary({ conversationId, summary }: { conversationId: string; summary: Timeline['summary'] }) {
  const gateway = useGateway();
  const mayWrite = useMay('write:messages');
  const { data: conversation } = useQuery(queries.conversation(gateway, conversationId));
  const [takingOver, setTakingOver] = useState(false);
  const isUnanswered = summary.outcome === 'unanswered';
  const error = isUnanswered ? conversation?.last_error : undefined;
  return (
    <Stack gap="xs" className={classes.summary} data-bad={isUnanswered || summary.outcome === 'failed' || undefined}>
      <Text fw={600}>{error ? noAnswer(error) : summary.sentence}</Text>
      {error && mayWrite && (
        <Group gap="xs">
          <UnansweredActions conversationId={conversationId} onTakeOver={() => setTakingOver(true)} />
        </Group>
      )}
      {takingOver && conversation && <TakeOverForm conversation={conversation} onClose={() => setTakingOver(false)} />}
    </Stack>
  );
}
