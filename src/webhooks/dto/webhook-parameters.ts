import { ValidateBy } from 'class-validator';
import { EVENT_TYPES, textFault } from '#contracts';

/** Stands for every event type, those to come included. */
export const ALL_EVENTS = '*';

export const MIN_SECRET_LENGTH = 16;
export const MAX_SECRET_LENGTH = 256;

/** 1 to 14 different event types of the catalogue, or `*` alone. */
export function EventTypes(): PropertyDecorator {
  const requirement = `must be a list of 1 to ${EVENT_TYPES.length} different event types, or of "${ALL_EVENTS}" alone`;
  return ValidateBy({
    name: 'eventTypes',
    validator: { validate: isSubscription, defaultMessage: () => `$property ${requirement}` },
  });
}

function isSubscription(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  if (value.length === 1 && value[0] === ALL_EVENTS) return true;
  return new Set(value).size === value.length && value.every((type) => EVENT_TYPES.includes(type as never));
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
