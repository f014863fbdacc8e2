import { ApiProperty } from '@nestjs/swagger';
import { ListQuery } from '../../core/pagination/list-query.dto';
import { AccountField } from '../../core/validation/fields/word-fields.decorator';
import { SortBy } from '../../core/pagination/sort.decorator';

/** Field of `sort` → property of a template. */
export const SORTABLE = { name: 'name', language: 'language', category: 'category', status: 'status' };

export class TemplateAccountQuery {
  @AccountField({ description: 'WhatsApp account, by its id or name. Default: the default account.' })
  account?: string;
}

export class TemplateListQuery extends ListQuery {
  @AccountField({ description: 'WhatsApp account, by its id or name. Default: the default account.' })
  account?: string;

  @SortBy(SORTABLE)
  sort?: string;
}

const text = (description: string) => ({ type: 'string', description });

/** Meta may add fields. */
const COMPONENT = {
  type: 'object',
  properties: {
    type: text('Type of the component: `HEADER`, `BODY`, `FOOTER` or `BUTTONS`.'),
    format: text('For a header: `TEXT`, `IMAGE`, `VIDEO` or `DOCUMENT`.'),
    text: text('Text with placeholders.'),
    buttons: {
      type: 'array',
      description: 'Buttons of the component.',
      items: {
        type: 'object',
        properties: {
          type: text('Type of the button, such as `URL` or `QUICK_REPLY`.'),
          text: text('Text of the button.'),
          url: text('URL that the button opens.'),
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
    type: text('JSON type: `string` or `array`.'),
    description: text('Placeholders that the parameter fills.'),
    minItems: { type: 'integer', description: 'Required number of items.' },
    maxItems: { type: 'integer', description: 'Required number of items.' },
  },
  additionalProperties: true,
};

const SCHEMA = {
  type: 'object',
  properties: {
    type: text('`object`.'),
    properties: { type: 'object', additionalProperties: FIELD, description: 'Schema of each parameter.' },
    required: {
      type: 'array',
      items: { type: 'string' },
      description: 'Required parameters (all of them).',
    },
    additionalProperties: { type: 'boolean', description: 'False.' },
  },
  additionalProperties: false,
};

export class TemplateDto {
  @ApiProperty({ description: 'Name in the business account.', example: 'order_update' })
  name!: string;

  @ApiProperty({ description: 'Language code, as WhatsApp writes it.', example: 'en_US' })
  language!: string;

  @ApiProperty({ description: 'Category: `MARKETING`, `UTILITY` or `AUTHENTICATION`.', example: 'UTILITY' })
  category!: string;

  @ApiProperty({
    description:
      'Status of the template. Only `APPROVED` templates can be sent. Other values: `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, ….',
    example: 'APPROVED',
  })
  status!: string;

  @ApiProperty({
    type: 'array',
    items: COMPONENT,
    description: 'Header, body, footer and buttons, in WhatsApp’s format.',
    example: [{ type: 'BODY', text: 'Hello {{1}}, your order is now {{2}}.' }],
  })
  components!: readonly object[];

  @ApiProperty({
    ...(SCHEMA as object),
    type: 'object',
    additionalProperties: false,
    description: 'JSON Schema of `template.parameters` in a send.',
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
  @ApiProperty({ type: 'integer', description: 'Number of templates.', example: 12 })
  templates!: number;

  @ApiProperty({ format: 'date-time', description: 'When the templates were read.' })
  synced_at!: string;
}
