import { ApiProperty } from '@nestjs/swagger';
import { ListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';

/** Field of `sort` → property of a template. */
export const SORTABLE = { name: 'name', language: 'language', category: 'category', status: 'status' };

export class TemplateListQuery extends ListQuery {
  @SortBy(SORTABLE)
  sort?: string;
}

const text = (description: string) => ({ type: 'string', description });

/** Meta may add fields. */
const COMPONENT = {
  type: 'object',
  properties: {
    type: text('`HEADER`, `BODY`, `FOOTER` or `BUTTONS`.'),
    format: text('Of a header: `TEXT`, `IMAGE`, `VIDEO` or `DOCUMENT`.'),
    text: text('Its text, with placeholders.'),
    buttons: {
      type: 'array',
      description: 'Its buttons.',
      items: {
        type: 'object',
        properties: {
          type: text('Type of the button, such as `URL` or `QUICK_REPLY`.'),
          text: text('The words on it.'),
          url: text('The URL that it opens.'),
        },
        additionalProperties: true,
      },
    },
  },
  required: ['type'],
  additionalProperties: true,
};

const FIELD = {
  type: 'object',
  properties: {
    type: text('`string` or `array`.'),
    description: text('The placeholders that it fills.'),
    minItems: { type: 'integer', description: 'How many items it must have.' },
    maxItems: { type: 'integer', description: 'How many items it must have.' },
  },
  additionalProperties: true,
};

const SCHEMA = {
  type: 'object',
  properties: {
    type: text('`object`.'),
    properties: { type: 'object', additionalProperties: FIELD, description: 'The schema of each parameter.' },
    required: {
      type: 'array',
      items: { type: 'string' },
      description: 'The required parameters: all of them.',
    },
    additionalProperties: { type: 'boolean', description: 'False.' },
  },
  additionalProperties: false,
};

export class TemplateDto {
  @ApiProperty({ description: 'Its name in the business account.', example: 'order_update' })
  name!: string;

  @ApiProperty({ description: 'Its language, as WhatsApp writes it.', example: 'en_US' })
  language!: string;

  @ApiProperty({ description: '`MARKETING`, `UTILITY` or `AUTHENTICATION`.', example: 'UTILITY' })
  category!: string;

  @ApiProperty({
    description:
      'Only an `APPROVED` template can be sent. Other values: `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, ….',
    example: 'APPROVED',
  })
  status!: string;

  @ApiProperty({
    type: 'array',
    items: COMPONENT,
    description: 'Header, body, footer and buttons, as WhatsApp describes them.',
    example: [{ type: 'BODY', text: 'Hello {{1}}, your order is now {{2}}.' }],
  })
  components!: readonly object[];

  @ApiProperty({
    ...(SCHEMA as object),
    type: 'object',
    additionalProperties: false,
    description: 'The JSON Schema of `template.parameters` of a send.',
    example: {
      type: 'object',
      properties: { body: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 } },
      required: ['body'],
      additionalProperties: false,
    },
  })
  parameters!: Record<string, unknown>;
}

export class TemplateSyncDto {
  @ApiProperty({ type: 'integer', description: 'How many templates there are now.', example: 12 })
  templates!: number;

  @ApiProperty({ format: 'date-time', description: 'When they were read.' })
  synced_at!: string;
}
