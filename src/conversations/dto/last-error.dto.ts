import { ApiProperty } from '@nestjs/swagger';

export class LastErrorDto {
  @ApiProperty({
    description:
      'Error of the AI provider, as in `ai.error` (`overloaded`, `timeout`, `authentication` and so on), `internal` for a fault of the gateway, or the limit that was reached: `budget`, `person`, `messages_per_minute`, `billable` or `loop`.',
    example: 'overloaded',
  })
  code!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Explanation for people; null without the scope `read:status`.',
    example: 'The AI provider is overloaded',
  })
  message!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the gateway asks the assistant again; null if only on request.',
  })
  next_try_at!: string | null;
}
