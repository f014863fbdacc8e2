import { AtLeastOneOf } from '../../../core/validation/at-least-one.decorator';
import { ReceiverUrlField, SecretField } from '../../../core/egress/receiver-fields.decorator';
import { DatedListQuery } from '../../../core/pagination/list-query.dto';
import { SortBy } from '../../../core/pagination/sort.decorator';
import { JsonObjectField } from '../../../core/validation/fields/json-field.decorator';
import { IntField } from '../../../core/validation/fields/number-fields.decorator';
import { TextField, type TextOptions } from '../../../core/validation/fields/text-fields.decorator';
import { BooleanField, EnumField } from '../../../core/validation/fields/word-fields.decorator';
import { IdParam } from '../../../core/validation/id-param.decorator';
import type { JsonSchema } from '../schema/schema-fault';
import { TOOL_CALL_STATUSES, type ToolCallStatus } from '#contracts';

export const ToolId = () => IdParam('tool_id', 'tool', 'Id of the tool.');

const MAX_DESCRIPTION_LENGTH = 4_096;
const NAME = /^[a-z0-9_]+$/;

const PARAMETERS = {
  description:
    'JSON Schema of the arguments: an object, with local `$ref` only, and without `pattern`, `patternProperties` and `format`.',
  example: {
    type: 'object',
    properties: { order_id: { type: 'string', description: 'Number on the receipt.' } },
    required: ['order_id'],
    additionalProperties: false,
  },
};

function NameField(options: Pick<TextOptions, 'optional'> = {}): PropertyDecorator {
  return TextField({
    max: 64,
    form: { matches: NAME, requirement: 'must have only a-z, 0-9 and _', isDocumented: true },
    description: 'Name by which the model calls the tool: a–z, 0–9 and `_`. `hand_over` is reserved.',
    example: 'order_status',
    ...options,
  });
}

function DescriptionField(options: Pick<TextOptions, 'optional'> = {}): PropertyDecorator {
  return TextField({
    max: MAX_DESCRIPTION_LENGTH,
    notBlank: true,
    description: 'What the tool does and when to call it, for the model.',
    example: 'Looks up where an order is.',
    ...options,
  });
}

const TIMEOUT = { min: 1, max: 30, optional: true, description: 'Seconds in which the receiver must answer.' };

export class CreateToolDto {
  @NameField()
  name!: string;

  @DescriptionField()
  description!: string;

  @JsonObjectField(PARAMETERS)
  parameters!: JsonSchema;

  @ReceiverUrlField({
    description: 'URL that receives the calls: `https:`, at a public address.',
    example: 'https://example.com/tools/order-status',
  })
  url!: string;

  @IntField(TIMEOUT)
  timeout_seconds: number = 10;

  @BooleanField({ optional: true, description: 'Whether the assistant may call the tool.' })
  enabled: boolean = true;

  @SecretField({
    optional: true,
    description: 'Signing secret. If omitted, the gateway generates one and returns it once.',
  })
  secret?: string;
}

@AtLeastOneOf('name', 'description', 'parameters', 'url', 'timeout_seconds', 'enabled', 'secret')
export class UpdateToolDto {
  @NameField({ optional: true })
  name?: string;

  @DescriptionField({ optional: true })
  description?: string;

  @JsonObjectField({ ...PARAMETERS, optional: true })
  parameters?: JsonSchema;

  @ReceiverUrlField({ optional: true, description: 'URL that receives the calls.' })
  url?: string;

  @IntField(TIMEOUT)
  timeout_seconds?: number;

  @BooleanField({ optional: true, description: 'Whether the assistant may call the tool.' })
  enabled?: boolean;

  @SecretField({
    optional: true,
    description: 'New signing secret. For 24 hours, calls are signed with both secrets.',
  })
  secret?: string;
}

/** Field of `sort` → property of the entity. */
export const SORTABLE = { created_at: 'createdAt', name: 'name' };

export class ToolListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;
}

/** Field of `sort` → property of the entity. */
export const SORTABLE_CALLS = { created_at: 'createdAt', ms: 'ms' };

export class ToolCallListQuery extends DatedListQuery {
  @SortBy(SORTABLE_CALLS)
  sort?: string;

  @EnumField({ words: TOOL_CALL_STATUSES, optional: true, description: 'Return only calls with this outcome.' })
  status?: ToolCallStatus;
}

export class TestToolDto {
  @JsonObjectField({ description: 'Arguments of the call.', example: { order_id: '1042' } })
  arguments!: Record<string, unknown>;
}
