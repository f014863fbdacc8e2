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
      'Return only problems since this time (an ISO 8601 date or timestamp) and older ones that persist. Default: the last 24 hours.',
    example: '2026-01-31',
  })
  since?: string;
}

export class ProblemSubjectDto {
  @ApiProperty({ enum: SUBJECT_TYPES, description: 'Subject of the problem.' })
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
  @ApiId('problem', 'Id of the problem; it stays the same as long as the cause does.')
  id!: string;

  @ApiProperty({ enum: PROBLEM_KINDS, description: 'Kind of problem.' })
  kind!: ProblemKind;

  @ApiProperty({ enum: SEVERITIES, description: 'Severity; a `critical` problem persists until someone acts.' })
  severity!: Severity;

  @ApiProperty({
    description: 'Summary of the problem, without text written by people.',
    example: 'Messages on Telegram fail: the recipient has blocked the account.',
  })
  title!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: `Number of occurrences, counted up to ${MOST_COUNTED.toLocaleString('en')}.`,
    example: 3,
  })
  count!: number;

  @ApiProperty({ format: 'date-time', description: 'First counted occurrence.' })
  first_at!: string;

  @ApiProperty({ format: 'date-time', description: 'Last occurrence.' })
  last_at!: string;

  @ApiProperty({ description: 'Subject of the problem.' })
  subject!: ProblemSubjectDto;

  @ApiProperty({
    type: [String],
    maxItems: MOST_SAMPLES,
    description:
      'Newest ids of the affected resources: messages, events (`ai_error`, `ai_refused`, `integration_error`), deliveries, backups, a conversation, or attachments.',
    example: ['msg_01h455vb4pex5vsknk084sn02q'],
  })
  samples!: string[];
}

export class DismissedProblemDto {
  @ApiId('problem', 'Id of the problem.')
  id!: string;

  @ApiProperty({ enum: [true], description: 'Always true.' })
  dismissed!: true;

  @ApiProperty({
    format: 'date-time',
    description: 'When the problem was dismissed; it is hidden until it occurs again.',
  })
  dismissed_at!: string;
}
