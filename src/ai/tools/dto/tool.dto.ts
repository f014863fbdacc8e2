import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TOOL_CALL_STATUSES, type ToolCallStatus } from '#contracts';
import { ApiId } from '../../../core/openapi/api-id.decorator';
import type { JsonSchema } from '../schema/schema-fault';

const NULLABLE_TEXT = { type: String, nullable: true } as const;

export class ToolDto {
  @ApiId('tool', 'Id of the tool.')
  id!: string;

  @ApiProperty({ description: 'Name by which the model calls the tool.', example: 'order_status' })
  name!: string;

  @ApiProperty({
    description: 'What the tool does and when to call it, for the model.',
    example: 'Looks up where an order is.',
  })
  description!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of the arguments.',
    example: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
  })
  parameters!: JsonSchema;

  @ApiProperty({
    format: 'uri',
    description: 'URL that receives the calls.',
    example: 'https://example.com/tools/order-status',
  })
  url!: string;

  @ApiProperty({ type: 'integer', description: 'Seconds in which the receiver must answer.', example: 10 })
  timeout_seconds!: number;

  @ApiProperty({ description: 'Whether the assistant may call the tool.', example: true })
  enabled!: boolean;

  @ApiProperty({ format: 'date-time', description: 'When the tool was created.' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', description: 'When the tool was last changed.' })
  updated_at!: string;
}

export class CreatedToolDto extends ToolDto {
  @ApiPropertyOptional({
    description: 'Generated signing secret, shown only once; absent if the request named a secret.',
  })
  secret?: string;
}

export class DeletedToolDto {
  @ApiId('tool', 'Id of the tool.')
  id!: string;

  @ApiProperty({ enum: [true], description: 'Always true.' })
  deleted!: true;
}

class ToolOutcomeDto {
  @ApiProperty({
    enum: TOOL_CALL_STATUSES,
    description:
      'Outcome. `success`: the receiver answered 2xx with text or JSON. `refused`: the arguments do not fit the schema, so the call was not sent.',
  })
  status!: ToolCallStatus;

  @ApiProperty({ type: 'integer', description: 'Duration in milliseconds.', example: 87 })
  ms!: number;
}

export class TestedToolDto extends ToolOutcomeDto {
  @ApiId('tool_call', 'Id of the call, as the receiver got it.')
  call_id!: string;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Answer of the receiver, as far as the model would see it (16 KiB); null if the call failed.',
    example: '{"status":"shipped"}',
  })
  result!: string | null;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Why the call failed.', example: null })
  error!: string | null;
}

export class ToolCallDto extends ToolOutcomeDto {
  @ApiId('tool_call', 'Id of the call.')
  id!: string;

  @ApiId('tool', 'Id of the tool.')
  tool_id!: string;

  @ApiProperty({ description: 'Name of the tool at the time of the call.', example: 'order_status' })
  name!: string;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Id of the conversation; null for a call of `POST /ai/generate`.',
    example: 'conv_01h455vb4pex5vsknk084sn02q',
  })
  conversation_id!: string | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Id of the message that is answered; null for a call of `POST /ai/generate`.',
    example: 'msg_01h455vb4pex5vsknk084sn02q',
  })
  message_id!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Arguments that the model chose; null if it wrote no JSON object.',
    example: { order_id: '1042' },
  })
  arguments!: object | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'First 4 KiB of the result; null if the call failed.',
    example: '{"status":"shipped"}',
  })
  result!: string | null;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Why the call failed.', example: null })
  error!: string | null;

  @ApiProperty({ format: 'date-time', description: 'When the call was made.' })
  created_at!: string;
}
