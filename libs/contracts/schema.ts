/** A JSON Schema (draft 2020-12) that also carries the TypeScript type of the values it describes. */
export interface Schema<T> {
  readonly [keyword: string]: unknown;
  /** Exists only for the compiler. */
  readonly __type?: T;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;

export function schema<T>(keywords: Record<string, unknown>): Schema<T> {
  return keywords;
}

export function words<const W extends string>(list: readonly W[]): Schema<W> {
  return schema({ type: 'string', enum: list });
}

export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return schema({ anyOf: [inner, { type: 'null' }] });
}

/** An object with any field names, whose values all match one schema. */
export function record<T>(values: Schema<T>): Schema<Record<string, T>> {
  return schema({ type: 'object', additionalProperties: values });
}

/** A list of any length, whose items all match one schema. */
export function listOf<T>(items: Schema<T>): Schema<T[]> {
  return schema({ type: 'array', items });
}

type Properties = Record<string, Schema<unknown>>;
type Typed<P extends Properties> = { -readonly [K in keyof P]: TypeOf<P[K]> };

/** An object that has all of `required`, may have any of `optional`, and has nothing else. */
export function object<P extends Properties>(required: P): Schema<Typed<P>>;
export function object<P extends Properties, O extends Properties>(
  required: P,
  optional: O,
): Schema<Typed<P> & Partial<Typed<O>>>;
export function object(required: Properties, optional: Properties = {}): Schema<object> {
  return schema({
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  });
}
