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
  @BooleanField({ description: 'Whether the model is offered the tool `hand_over`, by which it requests a person.' })
  by_assistant: boolean = true;

  @ListField({
    max: 50,
    items: textItems(100, { notBlank: true }),
    description:
      'An inbound message that holds one of these requests a person: whole words, in any case. Scripts without spaces match anywhere.',
    example: ['a person', 'human agent'],
  })
  phrases: string[] = [];

  @CountField('After this many answers in a row have failed for good, the gateway requests a person; null: never.')
  after_failures: number | null = 3;

  @CountField('More answers than this in one conversation within ten minutes request a person; null: never.')
  answers_per_10_minutes: number | null = 30;

  @TextField({
    max: MAX_TEXT_LENGTH,
    nullable: true,
    description: 'What the gateway sends once for each request for a person; null: nothing.',
    example: 'A colleague will answer you soon.',
  })
  closing_message: string | null = null;

  @MinutesField('The owner is mailed once if nobody takes over within so many minutes; null: never.')
  notify_after_minutes: number | null = 10;

  @MinutesField(
    'A message that a colleague writes on the phone (WhatsApp coexistence) takes over for so many minutes; null: it does not.',
  )
  echo_resume_minutes: number | null = 60;
}
