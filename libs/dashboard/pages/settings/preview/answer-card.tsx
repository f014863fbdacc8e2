import { Text, Title } from '@mantine/core';
import { useId } from 'react';
import { count, milliseconds, usd } from '../../../format/number';
import classes from './answer-card.module.css';

export interface ShownAnswer {
  text: string;
  model: string;
  tokens: { input: number; output: number } | null;
  latency_ms?: number | null;
  /** US dollars; undefined or null: unknown. */
  cost_usd?: number | null;
}

/** An answer with its model, tokens, latency and cost. */
export function AnswerCard({
  title,
  answer,
  empty,
}: {
  title: string;
  answer: ShownAnswer | undefined;
  empty: string;
}) {
  const id = useId();
  return (
    <section className={classes.card} aria-labelledby={id}>
      <Title order={3} size="h6" id={id}>
        {title}
      </Title>
      {answer ? (
        <>
          <p className={classes.text} dir="auto">
            {answer.text}
          </p>
          <Text size="xs" c="dimmed" className="numeric">
            {[
              answer.model,
              answer.tokens && `${count(answer.tokens.input)} tokens in, ${count(answer.tokens.output)} out`,
              answer.latency_ms != null && milliseconds(answer.latency_ms),
            ]
              .filter(Boolean)
              .join(' · ')}
          </Text>
          <Text size="sm" fw={600}>
            Cost: {answer.cost_usd == null ? 'see Statistics' : usd(answer.cost_usd)}
          </Text>
        </>
      ) : (
        <Text size="sm" c="dimmed" role="status">
          {empty}
        </Text>
      )}
    </section>
  );
}
