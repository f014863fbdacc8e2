import { Anchor, Loader, Text } from '@mantine/core';
import { RocketIcon } from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';
import { CodeBlock } from '../../components/copy/code-block';
import { EmptyState } from '../../components/feedback/empty-state';
import { Section } from '../../components/section';
import { milliseconds } from '../../format/number';
import type { LiveEvent } from '../../live/live-event';
import { stepOf } from './step-words';
import classes from './playground.module.css';

interface StepsProps {
  /** When the message was sent, in milliseconds since 1970; undefined before. */
  since: number | undefined;
  events: readonly LiveEvent[];
  conversationId: string | undefined;
}

/** The live events since the message was sent, each with its time and JSON. */
export function Steps({ since, events, conversationId }: StepsProps) {
  return (
    <Section
      title="What happens"
      description="Events of the gateway, as webhooks receive them."
      actions={
        conversationId !== undefined && (
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/conversations/$conversationId" params={{ conversationId }} {...props} />}
          >
            Open the conversation
          </Anchor>
        )
      }
    >
      {since === undefined ? (
        <EmptyState icon={<RocketIcon />} title="Nothing yet">
          Send a message: the steps appear here as they happen.
        </EmptyState>
      ) : events.length === 0 ? (
        <Loader size="sm" />
      ) : (
        <ol className={classes.steps} aria-label="Steps" aria-live="polite">
          {events.map((event) => {
            const { title, content, tone } = stepOf(event);
            return (
              <li key={event.id} className={classes.step} data-tone={tone}>
                <Text size="sm" fw={600} component="span">
                  {title}
                </Text>{' '}
                <Text size="xs" c="dimmed" component="span" className="numeric">
                  {event.type} · after {milliseconds(Math.max(0, Date.parse(event.created_at) - since))}
                </Text>
                {content !== undefined && (
                  <p className={classes.content} dir="auto">
                    {content}
                  </p>
                )}
                <details className={classes.json}>
                  <summary>JSON</summary>
                  <CodeBlock code={JSON.stringify(event, null, 2)} label={`JSON of ${event.type}`} />
                </details>
              </li>
            );
          })}
        </ol>
      )}
    </Section>
  );
}
