import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { EVENT_TYPES, EVENTS } from '#contracts';

const FIELD = { $ref: '#/components/schemas/FieldSchemaDto' };

/** The keywords that the catalogue of events uses for a field (`libs/contracts/events.ts`). */
@ApiSchema({ description: 'JSON Schema (draft 2020-12) of one field.' })
export class FieldSchemaDto {
  @ApiPropertyOptional({
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description: 'Its type, or types.',
    example: 'string',
  })
  type?: string | string[];

  @ApiPropertyOptional({ description: 'Its format.', example: 'date-time' })
  format?: string;

  @ApiPropertyOptional({ description: 'The smallest number.', example: 0 })
  minimum?: number;

  @ApiPropertyOptional({ type: [String], description: 'The words that it may be.' })
  enum?: string[];

  @ApiPropertyOptional({ type: 'array', items: FIELD, description: 'It is one of these.' })
  anyOf?: unknown[];

  @ApiPropertyOptional({ allOf: [FIELD], description: 'Of a list: its items.' })
  items?: unknown;

  @ApiPropertyOptional({ type: 'object', additionalProperties: FIELD, description: 'Of an object: its fields.' })
  properties?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], description: 'Of an object: the fields that are always there.' })
  required?: string[];

  @ApiPropertyOptional({
    anyOf: [{ type: 'boolean' }, FIELD],
    description: 'Of an object: whether there are other fields, and of what kind.',
  })
  additionalProperties?: unknown;
}

/** The keywords that the schemas of events use. */
export class DataSchemaDto {
  @ApiProperty({ enum: ['object'], description: 'Always `object`.' })
  type!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: FIELD,
    description: 'The schema of each field.',
  })
  properties!: Record<string, unknown>;

  @ApiProperty({ type: [String], description: 'The fields that are always there.' })
  required!: string[];

  @ApiProperty({ enum: [false], description: 'Always false: there are no other fields.' })
  additionalProperties!: false;
}

export class EventTypeDto {
  @ApiProperty({ enum: EVENT_TYPES, description: 'The type.' })
  type!: string;

  @ApiProperty({ description: 'When it is sent.', example: EVENTS[EVENT_TYPES[0]!].description })
  description!: string;

  @ApiProperty({
    type: DataSchemaDto,
    description: 'JSON Schema (draft 2020-12) of `data` of the event.',
    example: EVENTS[EVENT_TYPES[0]!].schema,
  })
  schema!: Record<string, unknown>;
}
