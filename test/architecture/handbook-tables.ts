import { EVENT_TYPES, EVENTS } from '#contracts';
import { REQUIRED_SCOPE } from '../../src/core/http/access.decorator';
import type { JsonSchema } from '../../src/core/openapi/json-schema';
import { scopeOf } from '../../src/live/event-selection';
import { nameOf, placesOf, type Place } from '../openapi/bounds';
import { operationsOf, type OpenApiDocument } from '../openapi/document';
import { resolved } from '../openapi/samples';

type Row = readonly string[];

const API = '/api/v1';
const code = (text: string) => `\`${text}\``;
const shortPath = (path: string) => path.replace(API, '');

/** The scope of each operation: the table of docs/scopes.md. */
export function scopeRows(document: OpenApiDocument): Row[] {
  return operationsOf(document)
    .filter(({ path }) => path.startsWith(API))
    .map((operation) => {
      const scopes = [Reflect.get(operation, REQUIRED_SCOPE) as string | string[] | undefined].flat();
      const words = scopes.map((scope) => (scope === undefined ? 'no key' : code(scope))).join(' or ');
      return [code(`${operation.method} ${shortPath(operation.path)}`), operation.summary!, words];
    });
}

/** Each event type: the table of docs/events.md. A field with `?` may be missing. */
export function eventRows(): Row[] {
  return EVENT_TYPES.map((type) => {
    const { description, schema } = EVENTS[type];
    const { properties = {}, required = [] } = schema as JsonSchema;
    const fields = Object.keys(properties).map((name) => code(required.includes(name) ? name : `${name}?`));
    return [code(type), description, fields.join(', '), code(scopeOf(type))];
  });
}

/** The bounds of each field and parameter, and the operations that take it: a table of docs/limits.md. */
export function fieldRows(document: OpenApiDocument): Row[] {
  const operations = new Map<string, Set<string>>();
  for (const { method, path, parameters = [], requestBody } of operationsOf(document)) {
    const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => placesOf(document, schema));
    const places = bodies.map((place) => ({ name: shownName(place.path), schema: place.schema }));
    for (const { name, schema } of [...parameters, ...places]) {
      const bound = boundOf(resolved(document, schema));
      // The preview takes the settings of the assistant, which have their own rows.
      if (bound === undefined || name.startsWith('settings.')) continue;
      const field = [code(name), bound].join('|');
      operations.set(field, (operations.get(field) ?? new Set()).add(code(`${method} ${shortPath(path)}`)));
    }
  }
  return [...operations].map(([field, of]) => [...field.split('|'), [...of].join(', ')]);
}

const shownName = (path: Place['path']) =>
  nameOf(path)
    .replaceAll(/\[\d+\]/g, '[]')
    .replaceAll(/(?:name-0|\+1)(?=\.|$)/g, '*');

function boundOf({ type, minLength = 0, maxLength, minimum = 0, maximum, maxItems, maxProperties }: JsonSchema) {
  const amount = (value: unknown) => Number(value).toLocaleString('en-US');
  if (maxLength !== undefined) return `${amount(minLength)} to ${amount(maxLength)} characters`;
  if (maximum !== undefined) return `${amount(minimum)} to ${amount(maximum)}`;
  if ([type].flat().includes('array') && maxItems !== undefined) return `at most ${amount(maxItems)} items`;
  return maxProperties === undefined ? undefined : `at most ${amount(maxProperties)} entries`;
}
