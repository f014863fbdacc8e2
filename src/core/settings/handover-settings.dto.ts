import { MAX_TEXT_LENGTH } from '#contracts';
import { ListField, textItems } from '../validation/fields/list-fields.decorator';
import { IntField } from '../validation/fields/number-fields.decorator';
import { TextField } from '../validation/fields/text-fields.decorator';
import { BooleanField } from '../validation/fields/word-fields.decorator';

/** A week. */
export const MAX_HANDOVER_MINUTES = 10_080;

const CountField = (description: string) => IntField({ min: 1, max: 1_000, nullable: true, description });
const MinutesField = (description: string) =>
  IntField({ min: 1, max: MAX_HANDOVER_MINUTES, nullable: true, description });

/** When a person is requested, and what follows. Null switches a trigger off. */
export class HandoverSettingsDto {
  @BooleanField({ description: 'Whether the model may request a person with the tool `hand_over`.' })
  by_assistant: boolean = true;

  @ListField({
    max: 50,
    items: textItems(100, { notBlank: true }),
    description:
      'An inbound message that contains one of these phrases requests a person. Whole words match, ignoring case; in scripts without spaces, any position matches.',
    example: ['a person', 'human agent'],
  })
  phrases: string[] = [];

  @CountField('Number of consecutive failed answers after which the gateway requests a person; null for never.')
  after_failures: number | null = 3;

  @CountField(
    'Maximum number of answers in one conversation within ten minutes; further ones request a person. Null for no limit.',
  )
  answers_per_10_minutes: number | null = 30;

  @TextField({
    max: MAX_TEXT_LENGTH,
    nullable: true,
    description: 'Message that the gateway sends once for each request for a person; null for none.',
    example: 'A colleague will answer you soon.',
  })
  closing_message: string | null = null;

  @MinutesField('Minutes without a takeover after which the owner gets a mail; null for no mail.')
  notify_after_minutes: number | null = 10;

  @MinutesField(
    'Minutes for which a message that a colleague writes on the phone (WhatsApp coexistence) takes over the conversation; null if it does not.',
  )
  echo_resume_minutes: number | null = 60;
}
