import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES } from '#contracts';
import { reasonedConstraint } from '../../core/validation/fields/field.decorator';
import { idItems } from '../../core/validation/fields/id-field.decorator';
import { ListField, wordItems } from '../../core/validation/fields/list-fields.decorator';
import { IdParam } from '../../core/validation/id-param.decorator';

export const WebhookId = () => IdParam('webhook_id', 'webhook', 'Id of the webhook.');
export const DeliveryId = () => IdParam('delivery_id', 'delivery', 'Id of the delivery (one attempt).');

/** Stands for every event type, including future ones. */
export const ALL_EVENTS = '*';

/** Different event types of the catalogue, or `*` alone. */
export function EventTypesField({ optional }: { optional?: boolean } = {}): PropertyDecorator {
  return applyDecorators(
    ListField({
      min: 1,
      max: EVENT_TYPES.length,
      items: wordItems([...EVENT_TYPES, ALL_EVENTS]),
      optional,
      description: 'Event types to subscribe to, or only `*` for all.',
      example: ['message.received', 'message.failed'],
    }),
    reasonedConstraint('subscription', subscriptionFault),
    // With the type 'array', @nestjs/swagger would apply the choice to each item.
    ApiProperty({ type: Array, anyOf: [subscription([...EVENT_TYPES]), subscription([ALL_EVENTS])] }),
  );
}

export function AccountsField(): PropertyDecorator {
  return ListField({
    items: idItems('account'),
    max: 50,
    optional: true,
    description:
      'Accounts whose events the webhook gets, by their ids. Events about no account come in any case. Empty: all accounts.',
    example: ['acc_01h455vb4pex5vsknk084sn02q'],
  });
}

function subscription(words: string[]): object {
  return {
    type: 'array',
    items: { type: 'string', enum: words },
    minItems: 1,
    maxItems: words.length,
    uniqueItems: true,
  };
}

/** The fault of a list of event types as a whole; undefined if there is none. */
function subscriptionFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  if (new Set(value).size < value.length) return 'must name each event type once';
  return value.length > 1 && value.includes(ALL_EVENTS) ? `must have "${ALL_EVENTS}" alone` : undefined;
}
