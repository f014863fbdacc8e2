export type JsonObject = Record<string, unknown>;

/** Neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of a class, such as a group of settings. */
export function isGroup(value: unknown): value is object {
  return isObject(value) && value.constructor !== Object;
}
