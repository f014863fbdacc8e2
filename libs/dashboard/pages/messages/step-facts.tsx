import { Anchor } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TimelineStep } from '#client';
import { nameOf } from '../../components/people/person-name';
import { Time } from '../../components/time';
import { count, milliseconds, usd } from '../../format/number';
import classes from './timeline-steps.module.css';

/** Shows the details of a step, with links to the objects that it names. */
export function StepFacts({ step }: { step: TimelineStep }) {
  const facts = factsOf(step).filter(Boolean);
  if (facts.length === 0) return null;
  return (
    <p className={classes.facts}>
      {facts.map((fact, index) => (
        <span key={index}>{fact}</span>
      ))}
    </p>
  );
}

function factsOf(step: TimelineStep): ReactNode[] {
  switch (step.step) {
    case 'received': {
      const { sender } = step.data;
      return [sender && `from ${nameOf(sender)}`];
    }
    case 'asked': {
      const { context, context_messages, tools, event_id } = step.data;
      return [
        `It saw ${count(context_messages)} ${context_messages === 1 ? 'message' : 'messages'}`,
        context?.first_message_id && (
          <Message key="from" id={context.first_message_id} text="first message in context" />
        ),
        context?.last_message_id && <Message key="to" id={context.last_message_id} text="last message in context" />,
        context && `system prompt ${context.system_prompt_sha256.slice(0, 8)}`,
        tools.length > 0 && `tools: ${tools.join(', ')}`,
        <EventLink key="event" id={event_id} />,
      ];
    }
    case 'answered': {
      const { tokens, cost_usd, stop_reason, tool_calls, error, event_id } = step.data;
      return [
        error && (error.retryable ? 'The gateway will retry' : 'The gateway will not retry'),
        tokens && `${count(tokens.input)} tokens in, ${count(tokens.output)} out`,
        cost_usd !== null && `Cost ${usd(cost_usd)}`,
        stop_reason && stop_reason !== 'end_turn' && `stopped: ${stop_reason}`,
        tool_calls.length > 0 && `called: ${tool_calls.join(', ')}`,
        <EventLink key="event" id={event_id} />,
      ];
    }
    case 'tool': {
      const { arguments: given, result, error } = step.data;
      return [given && `with ${JSON.stringify(given)}`, result && `result: ${result}`, error];
    }
    case 'sent':
    case 'not_sent':
      return step.data.parts.flatMap(({ index, attempts, pauses }) => [
        attempts > 1 && `part ${index + 1}: ${attempts} attempts`,
        ...pauses.map(({ reason, ms }) => `waited ${milliseconds(ms)}: ${reason}`),
      ]);
    case 'receipt':
      return [step.data.confirmation && `Confirmed by the ${step.data.confirmation}`];
    case 'event':
      return [<EventLink key="event" id={step.data.event_id} />];
    case 'webhook': {
      const { attempt, delivery_id, webhook_id, error, next_retry_at } = step.data;
      return [
        `Attempt ${attempt}`,
        error,
        next_retry_at && (
          <>
            next try <Time value={next_retry_at} form="relative" />
          </>
        ),
        <To key="delivery" text="delivery" to="/deliveries/$deliveryId" params={{ deliveryId: delivery_id }} />,
        <To key="webhook" text="webhook" to="/webhooks/$webhookId" params={{ webhookId: webhook_id }} />,
      ];
    }
    case 'audit': {
      const { masked_key, key_id, client_ip, request_id } = step.data;
      return [
        masked_key && `Key ${masked_key}`,
        `from ${client_ip}`,
        <To key="request" text="request" to="/audit-log" search={{ request_id }} />,
        key_id && <To key="key" text="key" to="/api-keys/$keyId" params={{ keyId: key_id }} />,
      ];
    }
    case 'waited':
    case 'stored':
    default:
      return [];
  }
}

function To({ text, ...link }: Pick<LinkProps, 'to' | 'params' | 'search'> & { text: string }) {
  return (
    <Anchor size="xs" underline="always" renderRoot={(props) => <Link {...link} {...props} />}>
      {text}
    </Anchor>
  );
}

function EventLink({ id }: { id: string }) {
  return <To text="event" to="/events/$eventId" params={{ eventId: id }} />;
}

function Message({ id, text }: { id: string; text: string }) {
  return <To text={text} to="/messages/$messageId" params={{ messageId: id }} />;
}
