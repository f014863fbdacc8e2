import { Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { AiPreviewParams } from '#client';
import { useGateway } from '../../../api/gateway';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { useFocusReturn } from '../../../components/hooks/use-focus-return';
import { AnswerCard } from './answer-card';
import { ConversationPicker } from './conversation-picker';
import { useBilledCost } from './use-billed-cost';
import { useStoredAnswer } from './use-stored-answer';

interface TrySettingsProps {
  /** The unsaved changes. */
  preview: Pick<AiPreviewParams, 'settings' | 'account_settings'>;
  /** Labels of the changed settings. */
  changed: readonly string[];
  /** Only conversations of this account can be chosen. */
  accountId?: string;
  onClose: () => void;
}

/** Answers an earlier question with the unsaved settings, and shows both answers side by side. */
export function TrySettings({ preview, changed, accountId, onClose }: TrySettingsProps) {
  useFocusReturn();
  const gateway = useGateway();
  const [conversationId, setConversationId] = useState<string | null>(null);
  const { answer, question, isLoading } = useStoredAnswer(conversationId);
  const run = useMutation({
    mutationFn: (id: string) =>
      gateway.ai.preview({ conversation_id: id, ...preview, ...(answer && { message_id: answer.id }) }),
  });
  const cost = useBilledCost(run.data, run.submittedAt);
  return (
    <Modal opened onClose={onClose} title="Try before saving" size="xl">
      <Stack>
        <Text size="sm">
          Changed: {changed.join(', ') || 'nothing'}. The AI answers the last question of a conversation once more. The
          answer is billed, but neither sent nor stored.
        </Text>
        <ConversationPicker
          accountId={accountId}
          value={conversationId}
          onChange={(id) => {
            setConversationId(id);
            run.reset();
          }}
        />
        {question && (
          <Text size="sm" dir="auto" lineClamp={3}>
            <b>The person wrote:</b> {question.content}
          </Text>
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <AnswerCard
            title="The answer that was given"
            answer={answer && { ...answer, text: answer.content, model: answer.ai_model ?? '' }}
            empty={
              isLoading
                ? 'Reading …'
                : conversationId
                  ? 'The assistant has not answered there.'
                  : 'Choose a conversation.'
            }
          />
          <AnswerCard
            title="The answer with your changes"
            answer={run.data && { ...run.data, text: run.data.response, cost_usd: cost }}
            empty={run.isPending ? 'The AI answers …' : 'Not tried yet.'}
          />
        </SimpleGrid>
        {run.error && <FaultAlert error={run.error} />}
        <Group justify="flex-end">
          <Button
            disabled={conversationId === null || isLoading}
            loading={run.isPending}
            onClick={() => conversationId !== null && run.mutate(conversationId)}
          >
            Try
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
