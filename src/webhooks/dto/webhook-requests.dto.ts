import { ReceiverUrlField, SecretField } from '../../core/egress/receiver-fields.decorator';
import { AtLeastOneOf } from '../../core/validation/at-least-one.decorator';
import { TimeField } from '../../core/validation/fields/time-field.decorator';
import { BooleanField } from '../../core/validation/fields/word-fields.decorator';
import { AccountsField, EventTypesField } from './webhook-parameters';

export class CreateWebhookDto {
  @ReceiverUrlField({
    description: 'URL that receives the events: `https:`, at a public address.',
    example: 'https://example.com/hooks/gateway',
  })
  url!: string;

  @EventTypesField()
  events!: string[];

  @AccountsField()
  accounts?: string[];

  @SecretField({
    optional: true,
    description: 'Signing secret. If omitted, the gateway generates one and returns it once.',
  })
  secret?: string;
}

@AtLeastOneOf('url', 'events', 'accounts', 'enabled', 'secret')
export class UpdateWebhookDto {
  @ReceiverUrlField({ optional: true, description: 'URL that receives the events.' })
  url?: string;

  @EventTypesField({ optional: true })
  events?: string[];

  @AccountsField()
  accounts?: string[];

  @BooleanField({
    optional: true,
    description: 'False disables the webhook; true makes it active again, even after it has failed.',
  })
  enabled?: boolean;

  @SecretField({
    optional: true,
    description: 'New signing secret. For 24 hours, deliveries are signed with both secrets.',
  })
  secret?: string;
}

export class ReplayDto {
  @TimeField({
    description:
      'Start of the replay: an ISO 8601 date or timestamp. Events from before the webhook was created are not sent.',
    example: '2026-01-01T00:00:00Z',
  })
  since!: string;
}
