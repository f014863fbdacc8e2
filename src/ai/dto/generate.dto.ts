import { codePointsOf, MAX_TEXT_LENGTH } from '#contracts';
import { constraint } from '../../core/validation/fields/field.decorator';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { IntField, NumberField } from '../../core/validation/fields/number-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { BooleanField, EnumField } from '../../core/validation/fields/word-fields.decorator';

/** Limit for all items together, in characters. */
const MAX_CONTEXT_LENGTH = 200_000;
const ROLES = ['user', 'assistant'] as const;

/** Limits the characters (code points) of all items together. */
function TotalLength(maximum: number): PropertyDecorator {
  const lengthOf = (item: Partial<ContextItemDto> | null) =>
    typeof item?.content === 'string' ? codePointsOf(item.content) : 0;
  return constraint(
    'totalLength',
    `must have at most ${maximum} characters in total`,
    (items) => !Array.isArray(items) || items.reduce<number>((sum, item) => sum + lengthOf(item), 0) <= maximum,
  );
}

export class ContextItemDto {
  @EnumField({ words: ROLES, description: 'Author of the message.' })
  role!: (typeof ROLES)[number];

  @TextField({ max: MAX_CONTEXT_LENGTH, description: 'Text of the message.', example: 'Where is my order?' })
  content!: string;
}

export class GenerateOptionsDto {
  @TextField({
    max: 200,
    notBlank: true,
    optional: true,
    description: 'Model to use. Default: the model of the settings.',
    example: 'claude-sonnet-5-5',
  })
  model?: string;

  @IntField({
    min: 1,
    max: 64_000,
    documentedMax: 8_192,
    optional: true,
    description: 'Maximum length of the answer in tokens, up to the setting `ai.max_tokens_limit` (8192 by default).',
  })
  max_tokens?: number;

  @NumberField({
    min: 0,
    max: 1,
    optional: true,
    description:
      'Randomness of the answer. Newer models accept only 1: any other value is ignored, and `meta.warnings` says so.',
  })
  temperature?: number;
}

export class GenerateDto {
  @TextField({
    max: MAX_TEXT_LENGTH,
    notBlank: true,
    description: 'Message to answer.',
    example: 'When do you open tomorrow?',
  })
  message!: string;

  @NestedListField(ContextItemDto, {
    max: 100,
    optional: true,
    description: 'Earlier messages, oldest first.',
  })
  @TotalLength(MAX_CONTEXT_LENGTH)
  context?: ContextItemDto[];

  @BooleanField({
    optional: true,
    description: 'Whether the model may call the tools of the environment. The answer then comes as one piece.',
  })
  tools?: boolean;

  @NestedField(GenerateOptionsDto, { optional: true, description: 'Options that override the settings.' })
  options?: GenerateOptionsDto;
}
