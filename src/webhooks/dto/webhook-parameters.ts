import { applyDecorators } from '@nestjs/common';
import { EVENT_TYPES } from '#contracts';
import { reasonedConstraint } from '../../core/validation/fields/field.decorator';
import { ListField, wordItems } from '../../core/validation/fields/list-fields.decorator';
import { TextField, type TextOptions } from '../../core/validation/fields/text-fields.decorator';
import { IdParam } from '../../core/validation/id-param.decorator';
import { MAX_URL_LENGTH } from '../guard/receiver-guard.service';

export const WebhookId = () => IdParam('webhook_id', 'webhook', 'The webhook.');

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
      unique: true,
      optional,
      description: 'The event types it is subscribed to, or `*` alone for all.',
      example: ['message.received', 'message.failed'],
    }),
    reasonedConstraint('subscription', subscriptionFault),
  );
}

/** The fault of a list of event types as a whole, if any. */
function subscriptionFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  if (new Set(value).size < value.length) return 'must name each event type once';
  return value.length > 1 && value.includes(ALL_EVENTS) ? `must have "${ALL_EVENTS}" alone` : undefined;
}

/** Where events are posted to; `ReceiverGuard` checks it. */
export function ReceiverUrlField(options: Options): PropertyDecorator {
  return TextField({ max: MAX_URL_LENGTH, format: 'uri', ...options });
}

/** A signing secret. Its value is never repeated back. */
export function SecretField(options: Options): PropertyDecorator {
  return TextField({ min: 16, max: 256, writeOnly: true, ...options });
}
