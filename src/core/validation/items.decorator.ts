import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateBy } from 'class-validator';

/** Name of the constraint below: the validation pipe makes one fault of each line of its message. */
export const ITEMS = 'items';

/** Each item of a list; `faultOf` gives the reason why one is not acceptable. Faults are told per item: `scopes[0]`. */
function EachItem(faultOf: (item: unknown) => string | undefined): PropertyDecorator {
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

/** A list of `minimum` to `maximum` items, each checked by `faultOf`. */
export function List(
  { minimum = 0, maximum }: { minimum?: number; maximum: number },
  faultOf: (item: unknown) => string | undefined,
): PropertyDecorator {
  return applyDecorators(
    // In the order in which they are checked: only the first that fails is told.
    IsArray({ message: '$property must be an array' }),
    ArrayMaxSize(maximum, { message: `$property must have at most ${maximum} items` }),
    ArrayMinSize(minimum, { message: `$property must have at least ${minimum} item${minimum === 1 ? '' : 's'}` }),
    EachItem(faultOf),
  );
}

/** Why a value is none of the words, if it is not. */
export function wordFault(words: readonly string[]): (value: unknown) => string | undefined {
  return (value) =>
    typeof value === 'string' && words.includes(value) ? undefined : `must be one of ${words.join(', ')}`;
}
