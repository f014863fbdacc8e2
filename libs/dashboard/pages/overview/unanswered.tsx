import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { noAnswer } from '../../components/messages/no-answer';
import { nameOf } from '../../components/people/person-name';
import { PlatformIcon } from '../../components/people/platform';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { count } from '../../format/number';
import classes from './latest-failures.module.css';

/** The newest people without an answer, each with the reason. Renders nothing if there are none. */
export function Unanswered() {
  const { data } = useQuery(queries.unanswered(useGateway()));
  if (!data || data.total === 0) return null;
  return (
    <Section
      title="Without an answer"
      description={data.total > data.data.length ? `The newest of ${count(data.total)}` : undefined}
    >
      <ul className={classes.list} aria-label="Without an answer">
        {data.data.map(({ id, platform, participant, last_error, last_message_at }) => (
          <li key={id}>
            <PlatformIcon platform={platform} />
            <div className={classes.text}>
              <Anchor
                size="sm"
                fw={550}
                underline="always"
                renderRoot={(props) => (
                  <Link to="/conversations/$conversationId" params={{ conversationId: id }} {...props} />
                )}
              >
                <bdi>{nameOf(participant)}</bdi>
              </Anchor>
              <Text size="xs" c="dimmed">
                {last_error && `${noAnswer(last_error)} · `}
                <Time value={last_message_at} form="relative" />
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
