import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES } from '#contracts';
import { reasonedConstraint } from '../../core/validation/fields/field.decorator';
import { ListField, wordItems } from '../../core/validation/fields/list-fields.decorator';
import { TextField, type TextOptions } from '../../core/validation/fields/text-fields.decorator';
import { IdParam } from '../../core/validation/id-param.decorator';
import { MAX_URL_LENGTH } from '../../core/egress/address-guard.service';

export const WebhookId = () => IdParam('webhook_id', 'webhook', 'Id of the webhook.');
export const DeliveryId = () => IdParam('delivery_id', 'delivery', 'Id of the delivery (one attempt).');

/** Stands for every event type, including future ones. */
export const ALL_EVENTS = '*';

type Options = Pick<TextOptions, 'description' | 'example' | 'optional'>;

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

/** Where events are posted to: `AddressGuard` decides. */
export function ReceiverUrlField(options: Options): PropertyDecorator {
  return TextField({ max: MAX_URL_LENGTH, format: 'uri', ...options });
}

/**
 * A text that begins like a secret of Standard Webhooks goes on as base64 (RFC 4648, 4), with its padding and no bits left
 * over: the libraries of receivers decode it strictly.
 */
const SECRET =
  /^(?!whsec_)|^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$/;

/** A signing secret. Its value is never repeated back. */
export function SecretField({ description, ...options }: Options): PropertyDecorator {
  return TextField({
    min: 16,
    max: 256,
    writeOnly: true,
    form: { matches: SECRET, requirement: 'must be base64 after "whsec_"' },
    description: `${description} After the prefix \`whsec_\`, a secret must be base64.`,
    ...options,
  });
}
