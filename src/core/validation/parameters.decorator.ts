import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';
import { parsePlatform, PLATFORM_WORDS, textFault } from '#contracts';

/** May be left out; unlike class-validator's IsOptional, `null` does not count as left out. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** May be left out or `null`, which takes away what was set. */
export function Nullable(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined && value !== null);
}

/** The word by which a filter is none, as if it were left out. */
export const ALL = 'all';

/** A filter of a list: may be left out, or `all`. */
export function Filter(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === ALL ? undefined : value)),
    Optional(),
  );
}

function check(name: string, requirement: string, accepts: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({
    name,
    validator: { validate: accepts, defaultMessage: buildMessage((each) => `${each}$property ${requirement}`) },
  });
}

/**
 * What is text in a query string and something else in a body is converted in queries only: in a body, `"5"` is of the
 * wrong type. The pipe names the group.
 */
const IN_QUERY = { groups: ['query'] };

/** A whole number; anything else stays as it is and fails. */
export function IntegerBetween(minimum: number, maximum: number): PropertyDecorator {
  return applyDecorators(
    Transform(
      ({ value }: { value: unknown }) =>
        typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value,
      IN_QUERY,
    ),
    check(
      'integerBetween',
      `must be an integer from ${minimum} to ${maximum}`,
      (value) => Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
    ),
  );
}

/** A number; in bodies only. */
export function NumberBetween(minimum: number, maximum: number): PropertyDecorator {
  return check(
    'numberBetween',
    `must be a number from ${minimum} to ${maximum}`,
    (value) => typeof value === 'number' && value >= minimum && value <= maximum,
  );
}

/** `true` or `false`. */
export function Flag(): PropertyDecorator {
  return applyDecorators(
    Transform(
      ({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value),
      IN_QUERY,
    ),
    check('flag', 'must be true or false', (value) => typeof value === 'boolean'),
  );
}

/** One of the platforms, under any of its words; the handler sees the platform's own. */
export function PlatformParameter(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (parsePlatform(value) ?? value) : value)),
    check(
      'platform',
      `must be one of ${PLATFORM_WORDS.join(', ')}`,
      (value) => typeof value === 'string' && parsePlatform(value) !== undefined,
    ),
  );
}

/** One of a fixed list of words. */
export function OneOf(words: readonly string[]): PropertyDecorator {
  return check(
    'oneOf',
    `must be one of ${words.join(', ')}`,
    (value) => typeof value === 'string' && words.includes(value),
  );
}

/** A well-formed text of 1 to `maximum` characters (code points). */
export function Text(maximum: number): PropertyDecorator {
  return ValidateBy({
    name: 'text',
    validator: {
      validate: (value) => typeof value === 'string' && textFault(value, maximum) === undefined,
      defaultMessage: (args) =>
        typeof args?.value === 'string' ? `$property ${textFault(args.value, maximum)}` : '$property must be a string',
    },
  });
}

/** A text with something to read in it. */
export function NotBlank(): PropertyDecorator {
  return check('notBlank', 'must not be blank', (value) => typeof value !== 'string' || value.trim() !== '');
}

/** The form of what `IsoTime` accepts, for the document. */
export const ISO_TIME_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$`;

const ISO_TIME = new RegExp(ISO_TIME_PATTERN);
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** An ISO 8601 date or timestamp; a bare date is read as UTC. */
export function IsoTime(): PropertyDecorator {
  return check('isoTime', 'must be an ISO 8601 date, or a timestamp with its offset from UTC', isTime);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && isIsoTime(value);
}

export function isIsoTime(text: string): boolean {
  if (!ISO_TIME.test(text)) return false;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return false;
  // `new Date` rolls some impossible days over: 2025-02-30 would become March 2.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10));
}

/** Not before another date or timestamp of the request, where both are there and well-formed. */
export function NotBefore(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'notBefore',
    validator: {
      validate: (value, args) => {
        const start = (args!.object as Record<string, unknown>)[other];
        return typeof start !== 'string' || !isIsoTime(start) || !isTime(value) || endOf(value) > new Date(start);
      },
      defaultMessage: () => `$property must not be before ${other}`,
    },
  });
}

/** The first moment that `end` excludes: a bare end date includes its whole UTC day. */
export function endOf(end: string): Date {
  const time = new Date(end);
  return DATE.test(end) ? new Date(time.getTime() + 86_400_000) : new Date(time.getTime() + 1);
}
