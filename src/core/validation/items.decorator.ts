import { ValidateBy } from 'class-validator';

/** Name of the constraint below: the validation pipe turns each line of its message into a fault. */
export const ITEMS = 'items';

/** Validates each item of a list: `faultOf` returns the fault of an item. Faults are reported per item: `scopes[0]`. */
export function EachItem(faultOf: (item: unknown) => string | undefined): PropertyDecorator {
  const faults = (value: unknown) =>
    (Array.isArray(value) ? value : []).flatMap((item, index) => {
      const fault = faultOf(item);
      return fault === undefined ? [] : [`[${index}] ${fault}`];
    });
  return ValidateBy({
    name: ITEMS,
    validator: {
      validate: (value) => faults(value).length === 0,
      defaultMessage: (args) => faults(args?.value).join('\n'),
    },
  });
}
