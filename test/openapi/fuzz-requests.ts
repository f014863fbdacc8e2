import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { faults, valid, withFault } from './arbitraries';
import { MULTIPART } from './multipart';
import type { OpenApiDocument, Operation, ParameterObject } from './document';
import { HOSTILE_BODIES, HOSTILE_MEDIA_TYPES, HOSTILE_QUERIES, HOSTILE_TEXTS } from './hostile';

/** Draws of a place among the known ids, counted round and round. */
const PLACES = 1_000;
/** In characters, of which one may take twelve in a URL. */
const LONGEST_PARAMETER = 200;

/** A request as it goes out, and what the document says of its body and parameters. */
export interface FuzzRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  /** What was done to it; undefined: all of it is as documented. */
  broken?: string;
  /** The value that the body is the JSON of, where it is one. */
  value?: unknown;
}

export interface FuzzContext {
  document: OpenApiDocument;
  key: string;
  /** Ids of resources that exist, by the name of the parameter: as many of each, and those of one place belong together. */
  ids: Readonly<Record<string, readonly string[]>>;
}

type Mutation = (operation: Operation, context: FuzzContext) => Arbitrary<(request: FuzzRequest) => FuzzRequest>;

/** Requests to one operation: as the document describes them, and broken ones of every kind. */
export function fuzzRequests(operation: Operation, context: FuzzContext): Arbitrary<FuzzRequest> {
  const takesBody = operation.requestBody?.content['application/json'] !== undefined;
  const mutations: Mutation[] = [brokenQuery, brokenPath, brokenAuthorization, brokenMethod];
  const bodyMutations: Mutation[] = [brokenValue, brokenValue, brokenValue, brokenBody, brokenMediaType];
  const broken = [...mutations, ...(takesBody ? bodyMutations : [brokenQuery])].map((mutation) =>
    fc
      .tuple(asDocumented(operation, context), mutation(operation, context))
      .map(([request, change]) => change(request)),
  );
  return fc.oneof(
    { weight: 1, arbitrary: asDocumented(operation, context) },
    { weight: 2, arbitrary: fc.oneof(...broken) },
  );
}

function asDocumented(operation: Operation, context: FuzzContext): Arbitrary<FuzzRequest> {
  const { document, key, ids } = context;
  const { method, path, parameters = [], requestBody } = operation;
  // Undefined stands for the known id of the request's place.
  const inPath = (name: string): Arbitrary<string | undefined> => {
    const { schema } = parameters.find((parameter) => parameter.name === name)!;
    const any = valid(document, schema) as Arbitrary<string>;
    return ids[name] ? fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, any) : any;
  };
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const json = requestBody?.content['application/json'];
  const isUpload = requestBody?.content['multipart/form-data'] !== undefined;
  return fc
    .record({
      place: fc.nat(PLACES - 1),
      segments: fc.tuple(...names.map(inPath)),
      query: parametersOf(context, parameters, 'query'),
      header: parametersOf(context, parameters, 'header'),
      value: json ? valid(document, json.schema) : fc.constant(undefined),
    })
    .map(({ place, segments, query, header, value }) => ({
      method,
      path:
        names.reduce((target, name, index) => {
          const known = ids[name] ?? [];
          return target.replace(`{${name}}`, encoded(segments[index] ?? known[place % known.length]!));
        }, path) + (Object.keys(query).length > 0 ? `?${new URLSearchParams(query).toString()}` : ''),
      headers: {
        authorization: `Bearer ${key}`,
        ...(json && { 'content-type': 'application/json' }),
        ...(isUpload && { 'content-type': MULTIPART.type }),
        ...header,
      },
      ...(json && { value, body: JSON.stringify(value) }),
      ...(isUpload && { body: MULTIPART.body }),
    }));
}

/** Some of the optional parameters. */
function parametersOf(
  { document, ids }: FuzzContext,
  parameters: readonly ParameterObject[],
  place: 'query' | 'header',
): Arbitrary<Record<string, string>> {
  const fields = parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, description, schema, example }) => {
      if (ids[name]) return [name, fc.constantFrom(...ids[name])] as const;
      // What a header may hold is less than what JSON may.
      if (place === 'header') return [name, fc.stringMatching(/^[a-z0-9-]{8,40}$/)] as const;
      const values = valid(document, { description, ...schema, ...(example !== undefined && { example }) });
      // A request line has room for so much; a cut text is one of those described, too.
      const short = (value: unknown) => [...String(value).toWellFormed()].slice(0, LONGEST_PARAMETER).join('');
      return [name, values.map(short)] as const;
    });
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] }) as Arbitrary<Record<string, string>>;
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** A value that is, mostly, not what the schema says. */
const brokenValue: Mutation = () =>
  faults.map((fault) => (request) => {
    const value = withFault(request.value, fault);
    return { ...request, value, body: JSON.stringify(value), broken: `${fault.kind} in the body` };
  });

const brokenBody: Mutation = () =>
  fc.oneof(
    fc.constantFrom(...HOSTILE_BODIES).map((body) => (request: FuzzRequest) => {
      return { ...request, value: undefined, body, broken: 'another body' };
    }),
    fc.nat(200).map((length) => (request: FuzzRequest) => {
      const body = String(request.body).slice(0, length);
      return { ...request, value: undefined, body, broken: 'the body is cut' };
    }),
    fc.constant((request: FuzzRequest) => {
      const body = String(request.body).replace('{', '{"colour":1,"colour":2,');
      return { ...request, value: undefined, body, broken: 'a field twice' };
    }),
  );

const brokenMediaType: Mutation = () =>
  fc.constantFrom(...HOSTILE_MEDIA_TYPES).map((type) => (request) => {
    return {
      ...request,
      value: undefined,
      headers: { ...request.headers, 'content-type': type },
      broken: 'media type',
    };
  });

const brokenQuery: Mutation = ({ parameters = [] }) => {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const pair = fc
    .tuple(fc.constantFrom(...names, 'colour'), fc.constantFrom(...HOSTILE_TEXTS))
    .map(([name, text]) => `${name}=${encoded(text).slice(0, 4_000)}`);
  return fc.oneof(pair, fc.constantFrom(...HOSTILE_QUERIES)).map((query) => (request) => {
    const path = `${request.path}${request.path.includes('?') ? '&' : '?'}${query}`;
    return { ...request, path, broken: 'query' };
  });
};

const brokenPath: Mutation = () =>
  fc
    .tuple(fc.constantFrom(...HOSTILE_TEXTS, '%zz', '%', '%00', '%ff', '..%2f..'), fc.nat(10))
    .map(([text, place]) => (request) => {
      const [path = '', query] = request.path.split('?');
      const segments = path.split('/');
      // Behind `/api/v1`: what is not the API answers in other ways.
      const index = 3 + (place % (segments.length - 3));
      segments[index] = text.startsWith('%') || text.startsWith('..%') ? text : encoded(text) || 'nothing';
      return {
        ...request,
        path: [segments.join('/'), query].filter((part) => part !== undefined).join('?'),
        broken: 'path',
      };
    });

const brokenAuthorization: Mutation = (_, { key }) =>
  fc
    .constantFrom(
      'Bearer',
      'Bearer ',
      'Basic dXNlcjpwYXNz',
      `Basic ${key}`,
      `bearer ${key}x`,
      `Bearer ${key} ${key}`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer ${key}\u00ff`,
      `Bearer "${key}"`,
      `Bearer service_sk_live_${"'".repeat(32)}`,
      `Bearer service_sk_test_${'a'.repeat(5_000)}`,
      key,
    )
    .map((authorization) => (request) => ({
      ...request,
      headers: { ...request.headers, authorization },
      broken: 'key',
    }));

const brokenMethod: Mutation = ({ path }, { document }) =>
  fc
    .constantFrom(
      ...['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (method) => !(method.toLowerCase() in document.paths[path]!),
      ),
    )
    .map((method) => ({ body, ...request }) => {
      return { ...request, ...(method !== 'GET' && { body }), method, value: undefined, broken: 'method' };
    });
