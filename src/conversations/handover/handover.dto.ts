import { ApiProperty } from '@nestjs/swagger';
import { HANDOVER_REASONS, type HandoverReason } from '#contracts';
import { IntField } from '../../core/validation/fields/number-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { MAX_HANDOVER_MINUTES } from '../../core/settings/handover-settings.dto';
import type { HandoverEntity } from '../entities/handover.entity';
import { HANDOVER_ENDS, type HandoverEnd } from '../entities/past-handover.entity';
import { Example } from '../../core/openapi/example.decorator';

const MomentProperty = (description: string) =>
  ApiProperty({ type: String, format: 'date-time', nullable: true, description });

@Example({ requested_at: '2026-01-31T11:41:07.512Z', taken_at: '2026-01-31T11:44:30.006Z' })
export class HandoverDto {
  @ApiProperty({
    enum: HANDOVER_REASONS,
    nullable: true,
    description:
      'Why the gateway requested a person: `assistant` (the model asked for one), `phrase` (a message contains one of `handover.phrases`), `failures` (several answers in a row failed), `refusal` (the AI provider declined to answer), `loop` (too many answers in ten minutes), `budget` (a limit on answers was reached). Null if a person took over without a request.',
  })
  reason!: HandoverReason | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Summary of the request by the model.',
    example: 'Ada wants to return order 4711 and asks for a person.',
  })
  summary!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Note for colleagues.', example: 'Waits for a refund.' })
  note!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Person who handles the conversation.', example: 'Grace' })
  assignee!: string | null;

  @MomentProperty('When the gateway requested a person.')
  requested_at!: string | null;

  @MomentProperty('When a person took over.')
  taken_at!: string | null;

  @MomentProperty('When the assistant resumes; null if only on request.')
  resume_at!: string | null;
}

/** A handover of the history. */
export class HandoverItemDto extends HandoverDto {
  @MomentProperty('When the assistant got the conversation back; null while the handover lasts.')
  resumed_at!: string | null;

  @ApiProperty({
    enum: HANDOVER_ENDS,
    nullable: true,
    description:
      'How it ended: `request` (a client handed the conversation back), `timer` (at `resume_at`, or because the limit was raised), `merge` (the conversation was merged into another one). Null while it lasts.',
  })
  ended_by!: HandoverEnd | null;
}

export class TakeOverDto {
  @TextField({ max: 100, optional: true, description: 'Person who handles the conversation.', example: 'Grace' })
  assignee?: string;

  @TextField({ max: 2_000, optional: true, description: 'Note for colleagues.', example: 'Waits for a refund.' })
  note?: string;

  @IntField({
    min: 1,
    max: MAX_HANDOVER_MINUTES,
    optional: true,
    description: 'Minutes after which the assistant resumes. Omit to resume only on request.',
    example: 60,
  })
  resume_after_minutes?: number;
}

export function toHandover(handover: HandoverEntity): HandoverDto {
  const { reason, summary, note, assignee, requestedAt, takenAt, resumeAt } = handover;
  const moment = (date: Date | null) => date?.toISOString() ?? null;
  return {
    reason,
    summary,
    note,
    assignee,
    requested_at: moment(requestedAt),
    taken_at: moment(takenAt),
    resume_at: moment(resumeAt),
  };
}
