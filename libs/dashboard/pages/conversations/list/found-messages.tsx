import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { nameOf } from '../../../components/people/person-name';
import { Time } from '../../../components/time';
import { counted } from '../../../format/number';
import { useMay } from '../../../session/use-session';
import classes from './conversation-list.module.css';

const WORD = /[\p{L}\p{N}]/u;

/** The newest messages with the words of the search. */
export function FoundMessages({ q }: { q: string }) {
  const gateway = useGateway();
  const isAsked = useMay('read:messages') && WORD.test(q);
  const { data } = useQuery({ ...queries.found(gateway, q), enabled: isAsked });
  if (!isAsked || !data || data.messages.length === 0) return null;
  return (
    <section className={classes.found} aria-label="Messages found">
      <Text size="xs" fw={600} c="dimmed">
        {counted(data.total, 'message')}
      </Text>
      {data.messages.map(({ id, conversation_id, content, created_at, participant }) => (
        <Link
          key={id}
          to="/conversations/$conversationId/messages/$messageId"
          params={{ conversationId: conversation_id, messageId: id }}
          search={true}
          className={classes.foundMessage}
        >
          <span className={classes.line}>
            <span className={classes.name} dir="auto">
              {nameOf(participant)}
            </span>
            <span className={classes.meta}>
              <Time value={created_at} form="relative" />
            </span>
          </span>
          <span className={classes.summary} dir="auto">
            {content}
          </span>
        </Link>
      ))}
    </section>
  );
}
