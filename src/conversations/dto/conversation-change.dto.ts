import { CONVERSATION_STATUSES, type ConversationStatus } from '#contracts';
import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { BooleanField, EnumField } from '../../core/validation/fields/word-fields.decorator';

@AtLeastOneOf('status', 'ai_paused')
export class ConversationChangeDto {
  @EnumField({
    words: CONVERSATION_STATUSES,
    optional: true,
    description: 'Archives the conversation, or makes it active again. A new message makes it active.',
  })
  status?: ConversationStatus;

  @BooleanField({
    optional: true,
    description: 'True: a person takes over. False: the assistant resumes.',
    example: true,
  })
  ai_paused?: boolean;
}
