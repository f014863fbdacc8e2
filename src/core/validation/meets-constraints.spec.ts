import { plainToInstance } from 'class-transformer';
import { IsInt, IsPositive, Max, validateSync, ValidateNested, ValidatePromise } from 'class-validator';
import * as fc from 'fast-check';
import { DatedListQuery } from '../pagination/list-query.dto';
import { SortBy } from '../pagination/sort.decorator';
import { NestedField } from './fields/nested-fields.decorator';
import { TextField } from './fields/text-fields.decorator';
import { BooleanField, PlatformField } from './fields/word-fields.decorator';
import { meetsConstraints } from './meets-constraints';

class Query extends DatedListQuery {
  @SortBy({ created_at: 'created_at' }) sort?: string;
  @PlatformField({ orAll: true, description: 'A filter.' }) platform?: string;
}

class Options {
  @BooleanField({ optional: true, description: 'A switch.' }) quiet: boolean = false;
}

class Body {
  @TextField({ max: 3, description: 'A text.' }) text!: string;
  @NestedField(Options, { optional: true, description: 'An object.' }) options?: Options;
}

class Listed {
  @IsInt({ each: true }) @Max(9, { each: true }) numbers: unknown = [];
}

class Promised {
  @ValidatePromise() @IsPositive() value = Promise.resolve(1);
}

class Nesting {
  @ValidateNested() inner: unknown;
}

const texts = fc.constantFrom('', 'a', 'telegram', 'all', '2026-01-01', 'x', '-created_at', '0', '7');
const values = fc.oneof(
  texts,
  fc.constantFrom(null, undefined, 0, 1, 100, 101, true, [], ['a'], {}, { quiet: 1 }, { quiet: true }),
);

describe(meetsConstraints.name, () => {
  const valid = (instance: object) =>
    validateSync(instance, { forbidUnknownValues: false, stopAtFirstError: true }).length === 0;

  it.each([
    ['a query', Query, ['page', 'per_page', 'platform', 'start_date', 'end_date', 'sort']],
    ['a body', Body, ['text', 'options']],
  ])('agrees with class-validator about %s', (_, type, fields) => {
    const plain = fc.record(Object.fromEntries(fields.map((name) => [name, values])), { requiredKeys: [] });
    fc.assert(
      fc.property(plain, (given) => {
        const instance = plainToInstance(type as new () => object, given, { exposeDefaultValues: true });
        expect(meetsConstraints(instance)).toBe(valid(instance));
      }),
      { numRuns: 300 },
    );
  });

  it.each([[[1, 2]], [[]], [[1, 10]], [['a']], [5], [10], [new Set([1])]])('decides on each item of %p', (numbers) => {
    const instance = Object.assign(new Listed(), { numbers });
    // It leaves what is not a list to class-validator.
    expect(meetsConstraints(instance)).toBe(!(numbers instanceof Set) && valid(instance));
  });

  it.each([[undefined], [null], ['text'], [[null]]])('agrees about the object %p', (inner) => {
    const instance = Object.assign(new Nesting(), { inner });
    expect(meetsConstraints(instance)).toBe(valid(instance));
  });

  it('leaves constraints that it does not know to class-validator', () => {
    expect(meetsConstraints(new Promised())).toBe(false);
  });
});
