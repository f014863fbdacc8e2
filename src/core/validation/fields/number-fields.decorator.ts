import { constraint, field, fromQuery, type FieldOptions } from './field.decorator';

interface Bounds extends FieldOptions {
  min: number;
  max: number;
}

/** A whole number. */
export function IntField({ min, max, ...options }: Bounds): PropertyDecorator {
  return field(
    { type: 'integer', minimum: min, maximum: max },
    options,
    fromQuery((text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text)),
    constraint(
      'int',
      `must be an integer from ${min} to ${max}`,
      (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    ),
  );
}

/** A number; in bodies only. */
export function NumberField({ min, max, ...options }: Bounds): PropertyDecorator {
  return field(
    { type: 'number', minimum: min, maximum: max },
    options,
    constraint(
      'number',
      `must be a number from ${min} to ${max}`,
      (value) => typeof value === 'number' && value >= min && value <= max,
    ),
  );
}
