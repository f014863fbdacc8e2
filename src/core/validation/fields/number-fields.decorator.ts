import { constraint, field, fromQuery, type FieldOptions } from './field.decorator';

interface Bounds extends FieldOptions {
  min: number;
  max: number;
}

interface IntBounds extends Bounds {
  /** The maximum in the document if a setting lowers the bound: the setting's default. */
  documentedMax?: number;
}

/** A whole number. */
export function IntField({ min, max, documentedMax = max, ...options }: IntBounds): PropertyDecorator {
  return field(
    { type: 'integer', minimum: min, maximum: documentedMax },
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
