import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, ValidateBy, ValidateNested } from 'class-validator';
import { MAX_TEXT_LENGTH } from '#contracts';
import { List } from '../../core/validation/items.decorator';
import {
  IntegerBetween,
  NotBlank,
  NumberBetween,
  OneOf,
  Optional,
  Text,
} from '../../core/validation/parameters.decorator';

const MAX_CONTEXT_ITEMS = 100;
/** Of all items together, in characters. */
const MAX_CONTEXT_LENGTH = 200_000;
const ROLES = ['user', 'assistant'] as const;

/** class-validator takes a list in a list for nested items. */
function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All items together have at most so many characters (code points). */
function TotalLength(maximum: number): PropertyDecorator {
  const lengthOf = (item: Partial<ContextItemDto> | null) =>
    typeof item?.content === 'string' ? [...item.content].length : 0;
  return ValidateBy({
    name: 'totalLength',
    validator: {
      validate: (items) =>
        !Array.isArray(items) || items.reduce<number>((sum, item) => sum + lengthOf(item), 0) <= maximum,
      defaultMessage: () => `$property must have at most ${maximum} characters in all`,
    },
  });
}

export class ContextItemDto {
  @ApiProperty({ enum: ROLES, description: 'Who said it.' })
  @OneOf(ROLES)
  role!: (typeof ROLES)[number];

  @ApiProperty({
    minLength: 1,
    maxLength: MAX_CONTEXT_LENGTH,
    description: 'What was said.',
    example: 'Where is my order?',
  })
  @Text(MAX_CONTEXT_LENGTH)
  content!: string;
}

export class GenerateOptionsDto {
  @ApiPropertyOptional({ description: "The model; the settings' when left out.", example: 'claude-sonnet-5-5' })
  @Optional()
  @Text(200)
  model?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 64_000, description: 'Longest answer, in tokens.' })
  @Optional()
  @IntegerBetween(1, 64_000)
  max_tokens?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 1, description: 'How varied the answers are. Newer models know only 1.' })
  @Optional()
  @NumberBetween(0, 1)
  temperature?: number;
}

export class GenerateDto {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_TEXT_LENGTH,
    pattern: String.raw`\S`,
    description: 'What to answer.',
    example: 'When do you open tomorrow?',
  })
  @Text(MAX_TEXT_LENGTH)
  @NotBlank()
  message!: string;

  @ApiPropertyOptional({
    type: [ContextItemDto],
    maxItems: MAX_CONTEXT_ITEMS,
    description: 'What was said before, oldest first.',
  })
  @Optional()
  @List({ maximum: MAX_CONTEXT_ITEMS }, (item) => (isPlainObject(item) ? undefined : 'must be an object'))
  @TotalLength(MAX_CONTEXT_LENGTH)
  @ValidateNested({ each: true })
  @Type(() => ContextItemDto)
  context?: ContextItemDto[];

  @ApiPropertyOptional({ type: GenerateOptionsDto, description: "Instead of the settings'." })
  @Optional()
  @IsObject({ message: '$property must be an object' })
  @ValidateNested()
  @Type(() => GenerateOptionsDto)
  options?: GenerateOptionsDto;
}
