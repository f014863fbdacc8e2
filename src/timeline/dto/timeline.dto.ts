import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import type { Scope } from '#contracts';
import { ApiEnvelopeOf } from '../../core/openapi/api-envelope.decorator';
import { EXAMPLE_TIME } from '../../core/openapi/example-of';
import { MetaDto } from '../../core/openapi/meta.dto';
import {
  AnsweredStepDto,
  AskedStepDto,
  AuditStepDto,
  EventStepDto,
  NotSentStepDto,
  ReceiptStepDto,
  ReceivedStepDto,
  SentStepDto,
  StoredStepDto,
  ToolStepDto,
  WaitedStepDto,
  WebhookStepDto,
} from './timeline-steps.dto';

/** Each step of a timeline: its data, an example of its title, and the scope that it needs beside `read:messages`. */
export const TIMELINE_STEPS = {
  received: { data: ReceivedStepDto, title: 'Received a message on Telegram' },
  waited: { data: WaitedStepDto, title: 'Waited 12 ms for the assistant' },
  asked: { data: AskedStepDto, title: 'Asked claude-sonnet-5-5, with 3 messages', scope: 'read:status' },
  answered: { data: AnsweredStepDto, title: 'Answered by claude-sonnet-5-5 after 840 ms', scope: 'read:status' },
  tool: { data: ToolStepDto, title: 'Called order_status: success after 87 ms' },
  stored: { data: StoredStepDto, title: 'The answer was stored' },
  not_sent: { data: NotSentStepDto, title: 'Not sent: the recipient has blocked the account' },
  sent: { data: SentStepDto, title: 'Telegram accepted the message' },
  receipt: { data: ReceiptStepDto, title: 'Delivered' },
  event: { data: EventStepDto, title: 'Event message.delivered' },
  webhook: {
    data: WebhookStepDto,
    title: 'Posted message.sent to example.com (wh_01h455vb4pex5vsknk084sn02q): 204 after 87 ms',
    scope: 'admin:settings',
  },
  audit: { data: AuditStepDto, title: 'POST /api/v1/messages/send: 200', scope: 'admin:settings' },
} as const satisfies Record<string, { data: Type; title: string; scope?: Scope }>;

export type TimelineStep = keyof typeof TIMELINE_STEPS;
export const STEPS = Object.keys(TIMELINE_STEPS) as TimelineStep[];

type DataOf<Step extends TimelineStep> = InstanceType<(typeof TIMELINE_STEPS)[Step]['data']>;

/** One step: what happened, and when. */
export type TimelineStepDto = {
  [Step in TimelineStep]: { at: string; step: Step; title: string; data: DataOf<Step> };
}[TimelineStep];

const OUTCOMES = [
  'answered',
  'answering',
  'unanswered',
  'not_wanted',
  'scheduled',
  'cancelled',
  'waiting',
  'sent',
  'delivered',
  'read',
  'failed',
] as const;

export class SummaryDto {
  @ApiProperty({
    enum: OUTCOMES,
    description:
      'What became of the message. For an inbound message: `answered`, `answering`, `unanswered`, or `not_wanted` (the assistant is not asked). For an outbound one, or an answer on its way: the others; `waiting` for the platform.',
    example: 'unanswered',
  })
  outcome!: (typeof OUTCOMES)[number];

  @ApiProperty({
    description: 'The same in one sentence, for people. Errors of the AI need the scope `read:status`.',
    example: 'No answer: the AI provider is overloaded. Next try 11:58:24 UTC.',
  })
  sentence!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the gateway asks the assistant again; null if it does not.',
  })
  next_try_at!: string | null;
}

export class TimelineMetaDto extends MetaDto {
  @ApiProperty({ type: SummaryDto, description: 'What became of the message.' })
  summary!: SummaryDto;

  @ApiProperty({ enum: STEPS, isArray: true, description: 'Steps that the key may not see.', example: [] })
  omitted!: TimelineStep[];
}

function stepSchema(step: TimelineStep) {
  const { data, title } = TIMELINE_STEPS[step];
  const properties = {
    at: { type: 'string', format: 'date-time', description: 'When the step happened.', example: EXAMPLE_TIME },
    step: { type: 'string', enum: [step], description: 'Type of the step.' },
    title: { type: 'string', description: 'Description of the step, for people.', example: title },
    data: { allOf: [{ $ref: getSchemaPath(data) }], description: 'Details of the step.' },
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

export function ApiTimeline() {
  return applyDecorators(
    ApiExtraModels(...STEPS.map((step) => TIMELINE_STEPS[step].data)),
    ApiEnvelopeOf(TimelineMetaDto, {
      type: 'array',
      description: 'Steps, oldest first.',
      items: { oneOf: STEPS.map(stepSchema) },
    }),
  );
}
