import { Text } from '@mantine/core';
import type { TimelineStep } from '#client';
import { CodeBlock } from '../../components/copy/code-block';
import { Time } from '../../components/time';
import { milliseconds } from '../../format/number';
import { StepFacts } from './step-facts';
import { toneOf } from './step-tone';
import classes from './timeline-steps.module.css';

/** Shows the time between two steps from this many milliseconds on. */
const MIN_SHOWN_MS = 100;

/** The timeline of a message: its steps, with the waits between them. */
export function TimelineSteps({
  steps,
  label = 'What happened, step by step',
}: {
  steps: readonly TimelineStep[];
  label?: string;
}) {
  if (steps.length === 0) return <Text size="sm">The records of this message have been deleted (retention).</Text>;
  return (
    <ol className={classes.steps} aria-label={label}>
      {steps.map((step, index) => (
        <li key={`${step.at} ${step.step} ${index}`} className={classes.step} data-tone={toneOf(step)}>
          <Wait from={steps[index - 1]?.at} to={step.at} />
          <div className={classes.line}>
            <Text size="sm" fw={600} className={classes.name}>
              {step.title}
            </Text>
            <Text size="xs" c="dimmed" className="nowrap">
              <Time value={step.at} form="seconds" />
            </Text>
          </div>
          <StepFacts step={step} />
          <details className={classes.details}>
            <summary>All fields</summary>
            <CodeBlock code={JSON.stringify(step.data, null, 2)} label={`fields of ${step.step} ${index + 1}`} />
          </details>
        </li>
      ))}
    </ol>
  );
}

function Wait({ from, to }: { from: string | undefined; to: string }) {
  const ms = from === undefined ? 0 : Date.parse(to) - Date.parse(from);
  if (ms < MIN_SHOWN_MS) return null;
  return (
    <Text size="xs" c="dimmed" className={classes.wait}>
      {milliseconds(ms)} later
    </Text>
  );
}
