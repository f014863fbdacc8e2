import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES } from '#contracts';
import { reasonedConstraint } from '../../core/validation/fields/field.decorator';
import { ListField, wordItems } from '../../core/validation/fields/list-fields.decorator';
import { TextField, type TextOptions } from '../../core/validation/fields/text-fields.decorator';
import { IdParam } from '../../core/validation/id-param.decorator';
import { MAX_URL_LENGTH } from '../../core/egress/address-guard.service';

export const WebhookId = () => IdParam('webhook_id', 'webhook', 'The webhook.');
export const DeliveryId = () => IdParam('delivery_id', 'delivery', 'The delivery: one attempt.');

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
      description: 'The event types it is subscribed to, or `*` alone for all.',
      example: ['message.received', 'message.failed'],
    }),
    reasonedConstraint('subscription', subscriptionFault),
    // @nestjs/swagger would take the choice as one of each item, were the type 'array'.
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

/** The fault of a list of event types as a whole, if any. */
function subscriptionFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  if (new Set(value).size < value.length) return 'must name each event type once';
  return value.length > 1 && value.includes(ALL_EVENTS) ? `must have "${ALL_EVENTS}" alone` : undefined;
}

/** For the document; `AddressGuard` decides, which looks at names and addresses, too. */
const RECEIVER_URL = String.raw`^[Hh][Tt][Tt][Pp][Ss]://[^\x00-\x20/\\?#@\x7f]+(?:[/?#][^\x00-\x20\x7f]*)?$`;

/** Where events are posted to. */
export function ReceiverUrlField(options: Options): PropertyDecorator {
  return TextField({ max: MAX_URL_LENGTH, format: 'uri', schemaPattern: RECEIVER_URL, ...options });
}

const SECRET_LENGTH = { min: 16, max: 256 };
const SECRET_PREFIX = 'whsec_';

/**
 * What begins like a secret of Standard Webhooks goes on as base64 (RFC 4648, 4): its verifiers decode it, strictly. No
 * lookahead, and lengths within: programs that make texts for a pattern know neither.
 */
const SECRET_FORM = `^(?:${[...otherBeginnings(), base64Secret()].join('|')})$`;

/** Texts that differ from the prefix in one character. */
function otherBeginnings(): string[] {
  const { min, max } = SECRET_LENGTH;
  return Array.from(SECRET_PREFIX, (character, index) => {
    const rest = `{${min - index - 1},${max - index - 1}}`;
    return `${SECRET_PREFIX.slice(0, index)}[^\\x00${character}][^\\x00]${rest}`;
  });
}

/** With its padding, and no bits left over: 18 to 254 characters. */
function base64Secret(): string {
  const digit = '[A-Za-z0-9+/]';
  return `${SECRET_PREFIX}(?:${digit}{4}){2,61}(?:${digit}{4}|${digit}[AQgw]==|${digit}{2}[AEIMQUYcgkosw048]=)`;
}

/** A signing secret. Its value is never repeated back. */
export function SecretField(options: Options): PropertyDecorator {
  return TextField({
    ...SECRET_LENGTH,
    writeOnly: true,
    form: { pattern: SECRET_FORM, requirement: 'must go on as base64 after "whsec_"' },
    ...options,
  });
}
