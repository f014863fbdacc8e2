import { Transform } from 'class-transformer';
import { MAX_ACCOUNT_NAME, parsePlatform, PLATFORM_WORDS } from '#contracts';
import { TextField } from './text-fields.decorator';
import { constraint, field, fromQuery, type FieldOptions } from './field.decorator';

/** A filter with this word has no effect, as if it were left out. */
const ALL = 'all';

interface FilterOptions extends FieldOptions {
  /** A filter of a list: may be left out, or `all`. */
  orAll?: boolean;
}

/** One of a fixed list of words. */
export function EnumField({ words, ...options }: FilterOptions & { words: readonly string[] }): PropertyDecorator {
  return wordField(
    words,
    options,
    constraint('enum', wordsRequirement(words), (value) => typeof value === 'string' && words.includes(value)),
  );
}

/** One of the platforms, under any of its words; the handler gets the platform's own word. */
export function PlatformField(options: FilterOptions): PropertyDecorator {
  return wordField(
    PLATFORM_WORDS,
    options,
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (parsePlatform(value) ?? value) : value)),
    constraint(
      'platform',
      wordsRequirement(PLATFORM_WORDS),
      (value) => typeof value === 'string' && parsePlatform(value) !== undefined,
    ),
  );
}

/** An account of a platform, by its id or name. The handler looks it up. */
export function AccountField(options: FieldOptions): PropertyDecorator {
  return TextField({ max: MAX_ACCOUNT_NAME, optional: true, example: 'default', ...options });
}

/** A filter of a list by the id of an account. An id that names no account selects nothing. */
export function AccountFilter(what: string): PropertyDecorator {
  return TextField({
    max: 100,
    optional: true,
    description: `Return only ${what} of this account.`,
    example: 'acc_01h455vb4pex5vsknk084sn02q',
  });
}

function wordField(
  words: readonly string[],
  { orAll = false, ...options }: FilterOptions,
  ...constraints: PropertyDecorator[]
): PropertyDecorator {
  if (!orAll) return field({ enum: [...words] }, options, ...constraints);
  return field(
    { enum: [...words, ALL], default: ALL },
    { ...options, optional: true },
    Transform(({ value }: { value: unknown }) => (value === ALL ? undefined : value)),
    ...constraints,
  );
}

export function wordsRequirement(words: readonly string[]): string {
  return words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(', ')}`;
}

/** `true` or `false`. */
export function BooleanField(options: FieldOptions): PropertyDecorator {
  return field(
    { type: Boolean },
    options,
    fromQuery((text) => (text === 'true' ? true : text === 'false' ? false : text)),
    constraint('boolean', 'must be true or false', (value) => typeof value === 'boolean'),
  );
}
