import { ApiProperty } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { TimeField } from '../../core/validation/fields/time-field.decorator';
import {
  MOST_COUNTED,
  MOST_SAMPLES,
  PROBLEM_KINDS,
  SEVERITIES,
  SUBJECT_TYPES,
  type ProblemKind,
  type Severity,
  type SubjectType,
} from './problem';
import { Example } from '../../core/openapi/example.decorator';

export class ProblemQuery {
  @TimeField({
    optional: true,
    description:
      'Only problems since this time (an ISO 8601 date or timestamp), and older problems that still last. Default: the last 24 hours.',
    example: '2026-01-31',
  })
  since?: string;
}

export class ProblemSubjectDto {
  @ApiProperty({ enum: SUBJECT_TYPES, description: 'What it is about.' })
  type!: SubjectType;

  @ApiProperty({ description: 'Id or name of the subject.', example: 'telegram' })
  id!: string;
}

@Example({
  first_at: '2026-01-31T10:12:40.115Z',
  last_at: '2026-01-31T11:47:03.902Z',
  samples: ['msg_01h455vb4pex5vsknk084sn02q', 'msg_01h455vb4pex5vsknk084sn02r', 'msg_01h455vb4pex5vsknk084sn02s'],
})
export class ProblemDto {
  @ApiId('problem', 'Problem id: the same as long as the cause is the same.')
  id!: string;

  @ApiProperty({ enum: PROBLEM_KINDS, description: 'What kind of problem it is.' })
  kind!: ProblemKind;

  @ApiProperty({ enum: SEVERITIES, description: '`critical`: it goes on until somebody acts.' })
  severity!: Severity;

  @ApiProperty({
    description: 'The problem in a sentence, without any text of a person.',
    example: 'Messages on Telegram fail: the recipient has blocked the account.',
  })
  title!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: `How often it has happened, counted up to ${MOST_COUNTED.toLocaleString('en')}.`,
    example: 3,
  })
  count!: number;

  @ApiProperty({ format: 'date-time', description: 'When it happened first, of the times that count.' })
  first_at!: string;

  @ApiProperty({ format: 'date-time', description: 'When it happened last.' })
  last_at!: string;

  @ApiProperty({ description: 'What it is about.' })
  subject!: ProblemSubjectDto;

  @ApiProperty({
    type: [String],
    maxItems: MOST_SAMPLES,
    description:
      'The newest ids: of messages, of events (`ai_error`, `ai_refused`, `integration_error`), of deliveries, of backups, of a conversation, of attachments.',
    example: ['msg_01h455vb4pex5vsknk084sn02q'],
  })
  samples!: string[];
}

export class DismissedProblemDto {
  @ApiId('problem', 'Problem id.')
  id!: string;

  @ApiProperty({ enum: [true], description: 'Always true.' })
  dismissed!: true;

  @ApiProperty({ format: 'date-time', description: 'It is hidden until it happens again after this.' })
  dismissed_at!: string;
}
