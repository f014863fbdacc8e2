import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { ListField, textItems, wordItems } from './list-fields.decorator';
import { NestedField } from './nested-fields.decorator';
import { IntField, NumberField } from './number-fields.decorator';
import { TextField } from './text-fields.decorator';
import { TimeField } from './time-field.decorator';
import { BooleanField, EnumField, PlatformField } from './word-fields.decorator';
import { NOT_BLANK } from './patterns';

class Inner {
  @TextField({ max: 3, description: 'A label.' }) label!: string;
}

class Sut {
  @IntField({ min: 1, max: 9, optional: true, description: 'A size.' }) size: number = 5;
  @NumberField({ min: 0, max: 1, optional: true, description: 'A share.' }) share?: number;
  @TextField({ min: 2, max: 4, notBlank: true, optional: true, description: 'A name.' }) name?: string;
  @TextField({ max: 4, nullable: true, description: 'A title.' }) title: string | null = null;
  @BooleanField({ optional: true, description: 'A switch.' }) on?: boolean;
  @EnumField({ words: ['red', 'blue'], orAll: true, description: 'A colour.' }) colour?: string;
  @EnumField({ words: ['round'], optional: true, description: 'A form.' }) form?: string;
  @PlatformField({ optional: true, description: 'A platform.' }) platform?: string;
  @TimeField({ optional: true, description: 'A start.' }) start?: string;
  @TimeField({ optional: true, notBefore: 'start', description: 'An end.' }) end?: string;
  @ListField({ max: 2, items: wordItems(['a', 'b']), optional: true, description: 'Words.' }) words?: string[];
  @ListField({ min: 1, max: 2, items: textItems(1), optional: true, description: 'Texts.' }) texts?: string[];
  @NestedField(Inner, { optional: true, description: 'An object.' }) inner?: Inner;
}

function read(plain: object, group = 'body'): Sut {
  return plainToInstance(Sut, plain, { exposeDefaultValues: true, groups: [group] });
}

/** The first message on the only faulty field. */
function fault(plain: object, group?: string): string | undefined {
  const [error, ...others] = validateSync(read(plain, group), { stopAtFirstError: true });
  expect(others).toEqual([]);
  return error && Object.values(error.constraints ?? error.children![0]!.constraints!)[0];
}

/** The schema of a field in the document. */
function documented(name: string): object {
  return Reflect.getMetadata('swagger/apiModelProperties', Sut.prototype, name) as object;
}

describe('A field decorator', () => {
  it.each([
    [{}, undefined],
    [{ size: 9, share: 1, name: 'abcd', title: null, on: false, colour: 'all', words: [], texts: ['x'] }, undefined],
    [{ size: 10 }, 'size must be an integer from 1 to 9'],
    [{ size: '5' }, 'size must be an integer from 1 to 9'],
    [{ size: null }, 'size must be an integer from 1 to 9'],
    [{ share: 1.01 }, 'share must be a number from 0 to 1'],
    [{ share: Number.NaN }, 'share must be a number from 0 to 1'],
    [{ name: 'a' }, 'name must be at least 2 characters long'],
    [{ name: 'abcde' }, 'name must be at most 4 characters'],
    [{ name: '   ' }, 'name must not be blank'],
    [{ name: 7 }, 'name must be a string'],
    [{ title: '' }, 'title must not be empty'],
    [{ on: 'true' }, 'on must be true or false'],
    [{ colour: 'green' }, 'colour must be one of red, blue'],
    [{ form: 'square' }, 'form must be round'],
    [{ platform: 'fax' }, 'platform must be one of whatsapp, telegram, discord, the service'],
    [{ start: '2026-02-30' }, 'start must be an ISO 8601 date, or a timestamp with its offset from UTC'],
    [{ start: '2026-02-02', end: '2026-02-01' }, 'end must not be before start'],
    [{ words: 'a' }, 'words must be an array'],
    [{ words: ['a', 'b', 'a'] }, 'words must have at most 2 items'],
    [{ words: ['a', 'c'] }, '[1] must be one of a, b'],
    [{ texts: [] }, 'texts must have at least 1 item'],
    [{ texts: [5] }, '[0] must be a string'],
    [{ inner: 5 }, 'inner must be an object'],
    [{ inner: { label: 'long' } }, 'label must be at most 3 characters'],
  ])('validates %j', (plain, expected) => {
    expect(fault(plain)).toBe(expected);
  });

  it('converts numbers and booleans of a query string', () => {
    expect(read({ size: '7', on: 'true' }, 'query')).toMatchObject({ size: 7, on: true });
    expect(fault({ size: '7.5' }, 'query')).toBe('size must be an integer from 1 to 9');
  });

  it('converts a platform alias to its name, and the filter `all` to none', () => {
    expect(read({ platform: 'the service', colour: 'all' })).toMatchObject({ platform: 'telegram', colour: undefined });
  });

  it('documents its bounds, and the default of an optional field', () => {
    expect(documented('size')).toMatchObject({ type: 'integer', minimum: 1, maximum: 9, default: 5, required: false });
    expect(documented('name')).toMatchObject({ minLength: 2, maxLength: 4, pattern: NOT_BLANK, required: false });
    expect(documented('title')).toMatchObject({ type: String, nullable: true });
    expect(documented('title')).not.toHaveProperty('default');
    expect(documented('colour')).toMatchObject({ enum: ['red', 'blue', 'all'], default: 'all', required: false });
    expect(documented('texts')).toMatchObject({
      minItems: 1,
      maxItems: 2,
      items: { type: 'string', minLength: 1, maxLength: 1 },
    });
  });

  it('is registered with class-validator like any other', () => {
    const known = getMetadataStorage().getTargetValidationMetadatas(Sut, '', false, false);
    expect(new Set(known.map(({ propertyName }) => propertyName))).toEqual(new Set(Object.keys(new Sut())));
  });
});
