import { codePointsOf, MAX_TEXT_LENGTH } from '#contracts';
import { constraint } from '../../core/validation/fields/field.decorator';
import { NestedListField } from '../../core/validation/fields/list-fields.decorator';
import { NestedField } from '../../core/validation/fields/nested-fields.decorator';
import { IntField, NumberField } from '../../core/validation/fields/number-fields.decorator';
import { TextField } from '../../core/validation/fields/text-fields.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';

/** Limit for all items together, in characters. */
const MAX_CONTEXT_LENGTH = 200_000;
const ROLES = ['user', 'assistant'] as const;

/** Limits the characters (code points) of all items together. */
function TotalLength(maximum: number): PropertyDecorator {
  const lengthOf = (item: Partial<ContextItemDto> | null) =>
    typeof item?.content === 'string' ? codePointsOf(item.content) : 0;
  return constraint(
    'totalLength',
    `must have at most ${maximum} characters in all`,
    (items) => !Array.isArray(items) || items.reduce<number>((sum, item) => sum + lengthOf(item), 0) <= maximum,
  );
}

export class ContextItemDto {
  @EnumField({ words: ROLES, description: 'Who said it.' })
  role!: (typeof ROLES)[number];

  @TextField({ max: MAX_CONTEXT_LENGTH, description: 'What was said.', example: 'Where is my order?' })
  content!: string;
}

export class GenerateOptionsDto {
  @TextField({
    max: 200,
    notBlank: true,
    optional: true,
    description: 'The model; default: the model of the settings.',
    example: 'claude-sonnet-5-5',
  })
  model?: string;

  @IntField({
    min: 1,
    max: 64_000,
    documentedMax: 8_192,
    optional: true,
    description:
      'Longest answer, in tokens; at most the setting `ai.max_tokens_limit`, which is 8192 unless it is changed.',
  })
  max_tokens?: number;

  @NumberField({
    min: 0,
    max: 1,
    optional: true,
    description: 'How varied the answers are. Newer models take only 1: then `meta.warnings` says that it was ignored.',
  })
  temperature?: number;
}

export class GenerateDto {
  @TextField({
    max: MAX_TEXT_LENGTH,
    notBlank: true,
    description: 'What to answer.',
    example: 'When do you open tomorrow?',
  })
  message!: string;

  @NestedListField(ContextItemDto, {
    max: 100,
    optional: true,
    description: 'What was said before, oldest first.',
  })
  @TotalLength(MAX_CONTEXT_LENGTH)
  context?: ContextItemDto[];

  @NestedField(GenerateOptionsDto, { optional: true, description: 'Options that override the settings.' })
  options?: GenerateOptionsDto;
}
