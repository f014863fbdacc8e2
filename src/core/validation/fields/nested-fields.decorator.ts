import type { Type as Class } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';
import { field, type FieldOptions } from './field.decorator';

/** An object with fields of its own. */
export function NestedField(of: Class, options: FieldOptions): PropertyDecorator {
  return field(
    { type: of },
    options,
    IsObject({ message: '$property must be an object' }),
    ValidateNested(),
    Type(() => of),
  );
}
