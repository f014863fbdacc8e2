import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { EVENT_TYPES, textFault } from '#contracts';
import { List, wordFault } from '../../core/validation/items.decorator';

/** Stands for every event type, those to come included. */
export const ALL_EVENTS = '*';

export const MIN_SECRET_LENGTH = 16;
export const MAX_SECRET_LENGTH = 256;

/** 1 to 14 different event types of the catalogue, or `*` alone. */
export function EventTypes(): PropertyDecorator {
  return applyDecorators(
    List({ minimum: 1, maximum: EVENT_TYPES.length }, wordFault([...EVENT_TYPES, ALL_EVENTS])),
    ValidateBy({
      name: 'subscription',
      validator: {
        validate: (value) => subscriptionFault(value) === undefined,
        defaultMessage: (args) => `$property ${subscriptionFault(args?.value)}`,
      },
    }),
  );
}

/** Of a list of event types: why it cannot be subscribed to as a whole. */
function subscriptionFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  if (new Set(value).size < value.length) return 'must name each event type once';
  return value.length > 1 && value.includes(ALL_EVENTS) ? `must have "${ALL_EVENTS}" alone` : undefined;
}

/** 16 to 256 characters. Its value is never repeated back. */
export function Secret(): PropertyDecorator {
  return ValidateBy({
    name: 'secret',
    validator: {
      validate: (value) => typeof value === 'string' && secretFault(value) === undefined,
      defaultMessage: (args) =>
        `$property ${typeof args?.value === 'string' ? secretFault(args.value) : 'must be a string'}`,
    },
  });
}

function secretFault(text: string): string | undefined {
  if ([...text].length < MIN_SECRET_LENGTH) return `must be at least ${MIN_SECRET_LENGTH} characters long`;
  return textFault(text, MAX_SECRET_LENGTH);
}
