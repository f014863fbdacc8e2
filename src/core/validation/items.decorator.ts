import { ValidateBy } from 'class-validator';

/** Name of the constraint below: the validation pipe makes one fault of each line of its message. */
export const ITEMS = 'items';

/** Each item of a list; `faultOf` gives the reason why one is not acceptable. Faults are told per item: `scopes[0]`. */
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
