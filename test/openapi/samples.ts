import type { JsonSchema } from '../../src/core/openapi/json-schema';
import { resolve, type OpenApiDocument } from './document';

/** Far enough ahead that no example is over. */
const TIME = '2099-01-01T00:00:00Z';

/** What texts are made longer with; one of them fits most patterns. */
const FILLERS = ['🦊', 'a', '0', ' a'];

/** The schema itself, whatever it refers to, and without `null` among its types. */
export function resolved(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  if (schema.$ref) return resolved(document, resolve<JsonSchema>(document, { $ref: schema.$ref }));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = schema;
    return {
      ...rest,
      ...resolved(
        document,
        choices.find(({ type }) => type !== 'null')!,
      ),
    };
  }
  if (!Array.isArray(schema.type)) return schema;
  return { ...schema, type: schema.type.find((type) => type !== 'null') };
}

export function isNullable({ type, anyOf, oneOf, enum: words }: JsonSchema): boolean {
  if (words?.includes(null)) return true;
  return type === undefined
    ? (anyOf ?? oneOf ?? []).some((choice) => choice.type === 'null')
    : [type].flat().includes('null');
}

/** One value that the schema admits. @param variant another one for each number, where there are several */
export function sampleOf(document: OpenApiDocument, schema: JsonSchema, variant = 0): unknown {
  const { type = 'string', enum: words, example, properties, required, items, ...rest } = resolved(document, schema);
  if (words) return words.filter((word) => word !== null)[variant % words.length];
  if (variant === 0 && example !== undefined) return structuredClone(example);
  switch (type) {
    case 'object':
      return Object.fromEntries(
        (required ?? Object.keys(properties ?? {}).slice(0, Number(rest['minProperties'] ?? 0))).map((name) => [
          name,
          sampleOf(document, properties![name]!),
        ]),
      );
    case 'array':
      return distinct(document, items!, Number(rest['minItems'] ?? 0));
    case 'integer':
    case 'number':
      return Number(rest['minimum'] ?? 1) + variant;
    case 'boolean':
      return true;
    default:
      return textOf({ ...rest, example }, variant);
  }
}

/** So many values that differ, as far as the schema has them. */
export function distinct(document: OpenApiDocument, items: JsonSchema, count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => sampleOf(document, items, index + 1));
}

function textOf({ example, format, pattern, minLength = 1 }: JsonSchema, variant: number): string {
  if (format === 'date-time') return TIME;
  if (format === 'ip-range') return `198.51.100.${variant % 250}`;
  if (format === 'uri') return `https://hooks.example.com/${variant}`;
  const length = Number(minLength);
  const candidates = [`text${variant}`.padEnd(length, 'x'), String(variant)];
  const fit = candidates.find((text) => fits(text, pattern as string | undefined));
  return fit ?? String(example);
}

/** @returns a text of exactly so many characters that the schema admits otherwise; undefined where none is found */
export function textOfLength({ pattern, format, example }: JsonSchema, length: number): string | undefined {
  const known = typeof example === 'string' ? [...example] : [];
  const start = format === 'uri' ? 'https://example.com/' : '';
  const end = format === 'email' ? '@example.com' : '';
  const made = [...FILLERS, ...known].map((filler) => filled(start, filler, end, length));
  return made.find((text) => [...text].length === length && fits(text, pattern as string | undefined));
}

function filled(start: string, filler: string, end: string, length: number): string {
  const room = length - [...start].length - [...end].length;
  if (room < 0) return '';
  return start + [...filler.repeat(room)].slice(0, room).join('') + end;
}

/** @returns texts that the pattern excludes, within the bounds of the length */
export function misfits({ pattern, minLength = 1, maxLength = 100, example }: JsonSchema): string[] {
  const length = Math.max(Number(minLength), Math.min(Number(maxLength), 10));
  const known = typeof example === 'string' ? example : 'text';
  const candidates = ['!', ' ', '\u0000', 'x\u0000', `${known}!`, ` ${known}`, `${known},`, known.toUpperCase()];
  return candidates
    .flatMap((text) => [text, text.padEnd(length, text)])
    .filter((text) => {
      const size = [...text].length;
      return size >= Number(minLength) && size <= Number(maxLength) && !fits(text, pattern as string);
    });
}

function fits(text: string, pattern: string | undefined): boolean {
  return pattern === undefined || new RegExp(pattern, 'u').test(text);
}
