import { ApiPropertyOptional } from '@nestjs/swagger';
import { CONVERSATION_STATUSES, type ConversationStatus } from '#contracts';
import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { Flag, OneOf, Optional } from '../../core/validation/parameters.decorator';

@AtLeastOneOf('status', 'ai_paused')
export class ConversationChangeDto {
  @ApiPropertyOptional({
    enum: CONVERSATION_STATUSES,
    description: 'Archive it, or make it active again. Any new message makes it active.',
  })
  @Optional()
  @OneOf(CONVERSATION_STATUSES)
  status?: ConversationStatus;

  @ApiPropertyOptional({ description: 'Whether the assistant leaves it to a person.', example: true })
  @Optional()
  @Flag()
  ai_paused?: boolean;
}
