import { Anchor, Button, Group, Loader, Text } from '@mantine/core';
import { PaperPlaneIcon } from '@radix-ui/react-icons';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { MessageListParams, MessagingGateway } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { ExternalLink } from '../../../components/guide/external-link';
import { showFault } from '../../../components/feedback/notify';
import { Step } from '../../../components/guide/steps';
import { useLiveEvents } from '../../../live/use-live';
import { useEnvironment } from '../../../session/use-session';
import type { Account } from '../../../api/accounts';
import { identityOf } from '../account-words';
import classes from './connect.module.css';

const TITLE = 'Write the first message';

interface FirstMessageProps {
  /** Number of the step. */
  number: number;
  account: Account;
  since: string;
}

/** Waits for the first message to the account, and shows it when it arrives. */
export function FirstMessage({ number, account, since }: FirstMessageProps) {
  const gateway = useGateway();
  const client = useQueryClient();
  const isTest = useEnvironment() === 'test';
  const query = firstMessageQuery(gateway, account.id, since);
  const { data: message } = useQuery(query);
  const ai = useQuery(queries.aiStatus(gateway)).data;
  useLiveEvents((event) => {
    if (event.type === 'message.received' && event.data.account.id === account.id)
      void client.invalidateQueries({ queryKey: query.queryKey });
  });
  if (!message)
    return (
      <Step number={number} title={TITLE}>
        {isTest ? <Play account={account} /> : <Where account={account} />}
        <Group gap="xs" mt="sm" role="status">
          <Loader size={16} aria-hidden />
          <Text size="sm">Waiting for the message …</Text>
        </Group>
      </Step>
    );
  return (
    <Step number={number} title={TITLE} done>
      <span role="status">The first message has arrived.</span>
      <p className={classes.message} dir="auto">
        {message.content}
      </p>
      {ai?.configured === false ? (
        <>
          The assistant answers once it has a key:{' '}
          <Anchor inherit underline="always" renderRoot={(props) => <Link to="/settings" {...props} />}>
            connect the AI
          </Anchor>
          .{' '}
        </>
      ) : null}
      <Anchor
        inherit
        underline="always"
        renderRoot={(props) => (
          <Link to="/conversations/$conversationId" params={{ conversationId: message.conversation_id }} {...props} />
        )}
      >
        Open the conversation
      </Anchor>
    </Step>
  );
}

/** Where a person writes to the account. */
function Where({ account }: { account: Account }): ReactNode {
  const { platform, details } = account;
  const identity = identityOf(account);
  if (identity === undefined) return 'Write to it with your own phone.';
  if (platform === 'telegram')
    return (
      <>
        Open <ExternalLink href={`https://t.me/${details['bot_username']}`}>{identity}</ExternalLink> in Telegram, press{' '}
        <b>Start</b>, and write something.
      </>
    );
  if (platform === 'whatsapp')
    return (
      <>
        If it is the test number, first add your own phone under <b>API Setup › To</b>. Then write to{' '}
        <ExternalLink href={`https://wa.me/${identity.replace(/\D/g, '')}`}>{identity}</ExternalLink>.
      </>
    );
  return `Write to ${identity} directly, or mention it in a channel of the server.`;
}

/** In the sandbox no phone can write. */
function Play({ account: { id, platform } }: { account: Account }) {
  const gateway = useGateway();
  const play = useMutation({
    mutationFn: () =>
      gateway.sandbox.play({ platform, account: id, sender: { id: '48213907', name: 'Ada' }, content: 'Hello!' }),
    onError: showFault,
  });
  return (
    <Button
      mt={6}
      variant="default"
      leftSection={<PaperPlaneIcon />}
      loading={play.isPending}
      onClick={() => play.mutate()}
    >
      Write as a person of the sandbox
    </Button>
  );
}

/** Null if no message has arrived since then. */
function firstMessageQuery(gateway: MessagingGateway, accountId: string, since: string) {
  const query: MessageListParams = {
    account_id: accountId,
    direction: 'inbound',
    start_date: since,
    sort: 'created_at',
    per_page: 1,
  };
  return queryOptions({
    queryKey: ['first-message', accountId, since],
    queryFn: async ({ signal }) => (await gateway.messages.list(query, { signal })).data[0] ?? null,
  });
}
