import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { TimeField } from '../../core/validation/fields/time-field.decorator';
import { BooleanField } from '../../core/validation/fields/word-fields.decorator';
import { EventTypesField, ReceiverUrlField, SecretField } from './webhook-parameters';

export class CreateWebhookDto {
  @ReceiverUrlField({
    description: 'Where events are posted to: `https:`, and no private network.',
    example: 'https://example.com/hooks/gateway',
  })
  url!: string;

  @EventTypesField()
  events!: string[];

  @SecretField({ optional: true, description: 'The signing secret. Left out, one is made and returned once.' })
  secret?: string;
}

@AtLeastOneOf('url', 'events', 'enabled', 'secret')
export class UpdateWebhookDto {
  @ReceiverUrlField({ optional: true, description: 'Where events are posted to.' })
  url?: string;

  @EventTypesField({ optional: true })
  events?: string[];

  @BooleanField({
    optional: true,
    description: 'False disables it; true makes it active again, also after it has failed.',
  })
  enabled?: boolean;

  @SecretField({
    optional: true,
    description: 'A new signing secret. For 24 hours the former one signs as well.',
  })
  secret?: string;
}

export class ReplayDto {
  @TimeField({
    description:
      'Start of the replay: an ISO 8601 date or timestamp. Events from before the webhook was made are not sent.',
    example: '2026-01-01T00:00:00Z',
  })
  since!: string;
}
