import { ApiProperty } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';

/** The limits of WhatsApp, the strictest platform. They apply on every platform. */
export const INTERACTIVE_LIMITS = {
  choice: { options: 3, title: 20 },
  list: { options: 10, title: 24 },
  link: 20,
  body: 1_024,
} as const;
const MOST_OPTIONS = 10;
const HTTP_URL = /^https?:\/\/[^\0-\x20\x7f]+$/;

export class InteractiveOptionDto {
  @TextField({
    max: 200,
    notBlank: true,
    description: 'The `interactive_reply.id` of a reply that chooses it; unique in the message.',
    example: 'yes',
  })
  id!: string;

  @TextField({
    max: INTERACTIVE_LIMITS.list.title,
    notBlank: true,
    description: 'The words on it, unique in the message: 20 characters on a button or a link, 24 in a list.',
    example: 'Yes, please',
  })
  title!: string;

  @TextField({ max: 72, optional: true, notBlank: true, description: 'More words about it.', example: 'At three' })
  description?: string;

  @TextField({
    max: 2_000,
    optional: true,
    format: 'uri',
    form: { matches: HTTP_URL, requirement: 'must be an http or https URL' },
    description: 'Makes it a link (http or https). The platform does not report when it is opened.',
    example: 'https://example.com/orders/4711',
  })
  url?: string;
}

export class InteractiveDto {
  @EnumField({ words: ['choice', 'list'], description: '`choice`: up to 3 buttons. `list`: up to 10 rows.' })
  type!: 'choice' | 'list';

  @NestedListField(InteractiveOptionDto, {
    min: 1,
    max: MOST_OPTIONS,
    description: 'What to choose from.',
    example: [
      { id: 'yes', title: 'Yes' },
      { id: 'no', title: 'No' },
    ],
  })
  options!: InteractiveOptionDto[];

  @TextField({
    max: 20,
    optional: true,
    notBlank: true,
    description: 'The words on the button that opens a list, where the platform has one.',
    example: 'Times',
  })
  button?: string;
}

export class InteractiveReplyDto {
  @ApiProperty({ type: String, nullable: true, description: 'The `id` of the option.', example: 'yes' })
  id!: string | null;

  @ApiProperty({ description: 'The `title` of the option.', example: 'Yes, please' })
  title!: string;

  @ApiId('message', 'The message that had the options; null where it is not known.', { nullable: true })
  message_id!: string | null;
}
