import { ValidateBy } from 'class-validator';
import { endOf, isIsoTime } from '../iso-time';
import { constraint, field, type FieldOptions } from './field.decorator';

interface TimeOptions extends FieldOptions {
  /** Another date or timestamp of the request. The value must not precede it, if both are present and well-formed. */
  notBefore?: string;
}

/** An ISO 8601 date or timestamp; a bare date is read as UTC. */
export function TimeField({ notBefore, ...options }: TimeOptions): PropertyDecorator {
  const formats = ['date-time', 'date'].map((format) => ({ type: 'string', format }));
  return field(
    { anyOf: formats },
    options,
    constraint('time', 'must be an ISO 8601 date, or a timestamp with its offset from UTC', isIsoTime),
    ...(notBefore === undefined ? [] : [NotBefore(notBefore)]),
  );
}

function NotBefore(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'notBefore',
    validator: {
      validate: (value, args) => {
        const start = (args!.object as Record<string, unknown>)[other];
        return !isIsoTime(start) || !isIsoTime(value) || endOf(value) > new Date(start);
      },
      defaultMessage: () => `$property must not be before ${other}`,
    },
  });
}
