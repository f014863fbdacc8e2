import { PLATFORM_NAMES, toPublicId, type SendFailure } from '#contracts';
import type { Repeat } from '../messages/send/repeats';
import type { SentPartDto } from './dto/timeline-steps.dto';
import type { TimelineStepDto } from './dto/timeline.dto';
import type { ChainEvent, ChainMessage, ChainPart, TimelineRows } from './timeline.rows';

/** The steps of a message, from its rows. @param now by the clock that the stored times have */
export function messageSteps(message: ChainMessage, rows: TimelineRows, now: Date): TimelineStepDto[] {
  if (message.direction === 'inbound') return [received(message), ...reactions(message)];
  const parts = partsOf(message, rows);
  return [
    stored(message),
    ...outcome(message, parts, rows.events, now),
    ...receipts(message, rows.events),
    ...reactions(message),
  ];
}

function idsOf({ id, conversation_id }: ChainMessage) {
  return {
    message_id: toPublicId('message', id),
    conversation_id: toPublicId('conversation', conversation_id),
  };
}

function received(message: ChainMessage): TimelineStepDto {
  const { platform, kind, sender } = message;
  return {
    at: message.created_at.toISOString(),
    step: 'received',
    title: `Received a message on ${PLATFORM_NAMES[platform]}`,
    data: { ...idsOf(message), platform, kind, sender },
  };
}

function stored(message: ChainMessage): TimelineStepDto {
  const { platform, request_id: request, answers_from, sent_by } = message;
  // An earlier version stored no author. An answer that a merge brought here covers messages of the other conversation.
  const isAnswer = answers_from !== null || sent_by === 'assistant';
  return {
    at: (message.accepted_at ?? message.created_at).toISOString(),
    step: 'stored',
    title: isAnswer ? 'The answer was stored' : 'The message was stored',
    data: { ...idsOf(message), platform, request_id: request === null ? null : toPublicId('request', request) },
  };
}

/** Outcome of the send. */
function outcome(
  message: ChainMessage,
  parts: SentPartDto[],
  events: readonly ChainEvent[],
  now: Date,
): TimelineStepDto[] {
  const { message_id } = idsOf(message);
  const { status, sent_at, failure, repeats } = message;
  const name = PLATFORM_NAMES[message.platform];
  if (sent_at) {
    const title =
      parts.length > 1 ? `${name} accepted the message in ${parts.length} parts` : `${name} accepted the message`;
    return [{ at: sent_at.toISOString(), step: 'sent', title, data: { message_id, parts } }];
  }
  if (status === 'failed') {
    const title = failure ? `Not sent: ${failure.message}` : 'Not sent';
    const reason = failure?.code === 'taken_over' ? ('taken_over' as const) : ('failed' as const);
    const data = { message_id, reason, error: failure, parts };
    return [{ at: failedAt(message, events).toISOString(), step: 'not_sent', title, data }];
  }
  if (status !== 'pending' || !repeats?.length) return [];
  const at = repeats[0]!.at;
  const ms = Math.max(0, now.getTime() - Date.parse(at));
  return [{ at, step: 'waited', title: `Waiting for ${name}`, data: { reason: 'platform', ms } }];
}

function receipts(message: ChainMessage, events: readonly ChainEvent[]): TimelineStepDto[] {
  const { message_id } = idsOf(message);
  const { sent_at, delivered_at, read_at, confirmation, status, failure } = message;
  const receipt = (at: Date, kind: 'delivered' | 'read' | 'failed', error: SendFailure | null): TimelineStepDto => ({
    at: at.toISOString(),
    step: 'receipt',
    title: error ? `Not delivered: ${error.message}` : kind === 'read' ? 'Read by the recipient' : 'Delivered',
    data: { message_id, status: kind, confirmation: kind === 'failed' ? null : confirmation, error, reaction: null },
  });
  return [
    ...(delivered_at ? [receipt(delivered_at, 'delivered', null)] : []),
    ...(read_at ? [receipt(read_at, 'read', null)] : []),
    ...(sent_at && status === 'failed' ? [receipt(failedAt(message, events), 'failed', failure)] : []),
  ];
}

function reactions(message: ChainMessage): TimelineStepDto[] {
  const { message_id } = idsOf(message);
  return Object.values(message.options?.reactions ?? {}).map(({ emoji, at }) => ({
    at: new Date(at).toISOString(),
    step: 'receipt',
    title: emoji === null ? 'Reaction removed' : `Reaction: ${emoji}`,
    data: { message_id, status: 'reacted', confirmation: null, error: null, reaction: emoji },
  }));
}

/** The event of a failed message has the time of the failure; the row of the message has not. */
function failedAt({ id, created_at, sent_at }: ChainMessage, events: readonly ChainEvent[]): Date {
  const failed = events.find((event) => event.type === 'message.failed' && event.message_id === id);
  return failed?.created_at ?? sent_at ?? created_at;
}

/** A message of one part has a row for its part only if its platform sends receipts. */
function partsOf(message: ChainMessage, { parts, events }: TimelineRows): SentPartDto[] {
  const rows = parts.filter((part) => part.message_id === message.id);
  const repeats = message.repeats ?? [];
  if (rows.length > 0) return rows.map((row) => partOf(row, repeats));
  const { status, sent_at, platform_message_id } = message;
  if (status !== 'sent' && status !== 'delivered' && status !== 'failed') return [];
  const at = sent_at ?? (status === 'failed' ? failedAt(message, events) : null);
  return [
    {
      index: 0,
      status: message.read_at ? 'read' : status,
      platform_message_id,
      at: at?.toISOString() ?? null,
      ...attemptsOf(0, repeats),
    },
  ];
}

function partOf(row: ChainPart, repeats: readonly Repeat[]): SentPartDto {
  const { part_index: index, status, platform_message_id, recorded_at } = row;
  return { index, status, platform_message_id, at: recorded_at.toISOString(), ...attemptsOf(index, repeats) };
}

function attemptsOf(index: number, repeats: readonly Repeat[]): Pick<SentPartDto, 'attempts' | 'pauses'> {
  const own = repeats.filter(({ part }) => part === index);
  return {
    attempts: own.reduce((sum, { attempts }) => sum + attempts, 1),
    pauses: own.map(({ at, code, attempts, wait_ms }) => ({ at, reason: code, attempts, ms: wait_ms })),
  };
}
