import { applyDecorators } from '@nestjs/common';
import { NeverEmpty } from '../openapi/never-empty.decorator';

const FIELDS = Symbol('at least one of these fields');

/** A body that needs at least one of these fields: with none, it would change nothing. */
export function AtLeastOneOf(...fields: readonly string[]): ClassDecorator {
  return applyDecorators(Reflect.metadata(FIELDS, fields), NeverEmpty());
}

/** The fields of `AtLeastOneOf`, if the body has none of them. */
export function lackingFields(dto: object, body: object): readonly string[] | undefined {
  const fields = Reflect.getMetadata(FIELDS, dto) as readonly string[] | undefined;
  return fields?.every((field) => (body as Record<string, unknown>)[field] === undefined) ? fields : undefined;
}
