import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { EVENT_TYPES, EVENTS } from '#contracts';

const FIELD = { $ref: '#/components/schemas/FieldSchemaDto' };

/** The keywords that the catalogue of events uses for a field (`libs/contracts/events.ts`). */
@ApiSchema({ description: 'JSON Schema (draft 2020-12) of one field.' })
export class FieldSchemaDto {
  @ApiPropertyOptional({
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description: 'JSON type, or list of types.',
    example: 'string',
  })
  type?: string | string[];

  @ApiPropertyOptional({ description: 'Format of the value.', example: 'date-time' })
  format?: string;

  @ApiPropertyOptional({ description: 'Smallest allowed number.', example: 0 })
  minimum?: number;

  @ApiPropertyOptional({ type: [String], description: 'Allowed values.' })
  enum?: string[];

  @ApiPropertyOptional({ type: 'array', items: FIELD, description: 'Schemas of which one applies.' })
  anyOf?: unknown[];

  @ApiPropertyOptional({ allOf: [FIELD], description: 'For an array: schema of its items.' })
  items?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: FIELD,
    description: 'For an object: schemas of its fields.',
  })
  properties?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], description: 'For an object: fields that are always present.' })
  required?: string[];

  @ApiPropertyOptional({
    anyOf: [{ type: 'boolean' }, FIELD],
    description: 'For an object: whether other fields are allowed, or their schema.',
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
    description: 'Schema of each field.',
  })
  properties!: Record<string, unknown>;

  @ApiProperty({ type: [String], description: 'Fields that are always present.' })
  required!: string[];

  @ApiProperty({ enum: [false], description: 'Always false: no other fields are allowed.' })
  additionalProperties!: false;
}

export class EventTypeDto {
  @ApiProperty({ enum: EVENT_TYPES, description: 'Name of the event type.' })
  type!: string;

  @ApiProperty({ description: 'When events of this type are sent.', example: EVENTS[EVENT_TYPES[0]!].description })
  description!: string;

  @ApiProperty({
    type: DataSchemaDto,
    description: 'JSON Schema (draft 2020-12) of the event’s `data`.',
    example: EVENTS[EVENT_TYPES[0]!].schema,
  })
  schema!: Record<string, unknown>;
}
