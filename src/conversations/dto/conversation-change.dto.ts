import { CONVERSATION_STATUSES, type ConversationStatus } from '#contracts';
import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { ListField, textItems } from '../../core/validation/fields/list-fields.decorator';
import { PairsField } from '../../core/validation/fields/pairs-field.decorator';
import { BooleanField, EnumField } from '../../core/validation/fields/word-fields.decorator';

@AtLeastOneOf('status', 'ai_paused', 'labels', 'metadata')
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

  @ListField({
    optional: true,
    max: 20,
    items: textItems(50, { notBlank: true }),
    description: 'Labels of the conversation; they replace the earlier ones. A label that is named twice counts once.',
    example: ['vip'],
  })
  labels?: string[];

  @PairsField({
    optional: true,
    max: 20,
    maxKey: 50,
    maxValue: 500,
    description: 'Metadata of the conversation: texts by key. It replaces the earlier metadata.',
    example: { order: '4711' },
  })
  metadata?: Record<string, string>;
}
