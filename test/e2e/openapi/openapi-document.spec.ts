import { createConfig, lintFromString } from '@redocly/openapi-core';
import { version } from '../../../package.json';
import { ERRORS, EVENT_TYPES, EVENTS, type ErrorCode } from '#contracts';
import type { JsonSchema } from '../../../src/core/openapi/json-schema';
import { examplesOf, operationsOf, resolve, type MediaTypeObject, type OpenApiDocument } from '../../openapi/document';
import { Schemas } from '../../openapi/schemas';
import { contractOf } from '../../support/contract';
import { startTestGateway } from '../../support/gateway';

let document: OpenApiDocument;

beforeAll(async () => {
  const gateway = await startTestGateway();
  ({ document } = await contractOf(gateway.url));
});

/** What the operations of the document lack, by their ids. */
function lacking(check: (operation: ReturnType<typeof operationsOf>[number]) => (string | false | undefined)[]) {
  return operationsOf(document).flatMap((operation) =>
    check(operation).flatMap((fault) => (fault ? [`${operation.operationId} ${fault}`] : [])),
  );
}

/** By method: the verbs with which the id of an operation, and the method of the client, begins. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  GET: ['list', 'get', 'download', 'stream', 'check'],
  POST: [
    'create',
    'send',
    'upload',
    'generate',
    'preview',
    'play',
    'take',
    'answer',
    'resume',
    'clear',
    'reconnect',
    'sync',
  ].concat(['roll', 'exchange', 'test', 'redeliver', 'replay', 'verify', 'dismiss']),
  PUT: ['set'],
  PATCH: ['update'],
  DELETE: ['delete', 'cancel', 'revoke', 'erase'],
};

const isPublic = (path: string) => path.startsWith('/health/') || path === '/api/v1/dashboard/exchange';

describe('The OpenAPI document', () => {
  it('passes the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
    // The rules do run: without its licence, the document would not be clean.
    const { info, ...rest } = document as unknown as { info: object };
    const bare = JSON.stringify({ ...rest, info: { ...info, license: undefined } });
    expect(await lintFromString({ source: bare, config })).toMatchObject([{ ruleId: 'info-license' }]);
  });

  it('has an id, a summary, a description, one explained tag and authentication for every operation', () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(
      lacking(({ operationId, summary, description, tags: own = [], security, path }) => [
        !/^[a-zA-Z]+\.[a-zA-Z]+$/.test(operationId) && 'has an odd id',
        !/^[A-Z].*[^.]$/.test(summary ?? '') && 'has no summary',
        !/^[A-Z].*[.]$/s.test(description ?? '') && 'has no description',
        (own.length !== 1 || !tags.has(own[0]!)) && 'has not exactly one tag',
        JSON.stringify(security) !== JSON.stringify(isPublic(path) ? [] : [{ bearer: [] }]) &&
          `authenticates by ${JSON.stringify(security)}`,
      ]),
    ).toEqual([]);
  });

  it('names every operation by its resource and a verb, used consistently', () => {
    const verbOf = (operationId: string) => /[.]([a-z]+)/.exec(operationId)?.[1] ?? '';
    expect(
      lacking(({ operationId, method }) => [
        !VERBS[method]!.includes(verbOf(operationId)) && `is no verb of ${method}`,
      ]),
    ).toEqual([]);
    expect(
      lacking(({ operationId, responses }) => {
        if (verbOf(operationId) !== 'list') return [];
        const { schema } = responses['200']!.content!['application/json']!;
        const { data } = resolve<JsonSchema>(document, schema).properties!;
        return [data!.type !== 'array' && `answers with ${String(data!.type)}`];
      }),
    ).toEqual([]);
  });

  it('has the version of package.json', () => {
    expect(document.info.version).toBe(version);
  });

  it('documents one way to authenticate, the header, and that statistics always cover the platforms', () => {
    const { securitySchemes, schemas } = document.components as unknown as {
      securitySchemes: Record<string, object>;
      schemas: Record<string, JsonSchema>;
    };
    expect(Object.keys(securitySchemes)).toEqual(['bearer']);
    expect(securitySchemes['bearer']).toMatchObject({ type: 'http', scheme: 'bearer', bearerFormat: 'API key' });
    expect(schemas['Statistics']!.required).toEqual(['period', 'totals', 'by_platform', 'timeline']);
  });

  it('lists the errors of every operation', () => {
    const codesOf = (responses: Record<string, { content?: Record<string, MediaTypeObject> }>) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([, { content }]) => Object.keys(content!['application/json']!.examples ?? {}));
    const everywhere = ['INVALID_API_KEY', 'API_KEY_EXPIRED', 'INSUFFICIENT_PERMISSIONS', 'IP_NOT_ALLOWED'].concat([
      'INVALID_REQUEST',
      'INVALID_PARAMETER',
      'RATE_LIMIT_EXCEEDED',
      'INTERNAL_ERROR',
    ]);
    expect(
      lacking(({ path, responses }) =>
        (isPublic(path) ? [] : everywhere.concat(path.includes('{') ? 'RESOURCE_NOT_FOUND' : []))
          .filter((code) => !codesOf(responses).includes(code))
          .map((code) => `cannot answer ${code}`),
      ),
    ).toEqual([]);
    // Every code of the catalogue is somewhere.
    const all = operationsOf(document).flatMap(({ responses }) => codesOf(responses));
    expect([...new Set(all)].toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  it('has a description and an example for every response, and a code of its status for every error', () => {
    expect(
      lacking(({ responses }) =>
        Object.entries(responses).flatMap(([status, { description, headers, content = {} }]) => [
          !description && `${status} has no description`,
          !headers?.['X-Request-Id'] && `${status} has no X-Request-Id`,
          status !== '304' && Object.keys(content).length === 0 && `${status} has no content`,
          ...Object.entries(content).flatMap(([mediaType, media]) => {
            const examples = examplesOf(document, media);
            const codes = Object.keys(media.examples ?? {}) as ErrorCode[];
            return [
              mediaType !== '*/*' && examples.length === 0 && `${status} ${mediaType} has no example`,
              Number(status) >= 400 &&
                Number(status) !== 503 &&
                !codes.every((code) => ERRORS[code].status === Number(status)) &&
                `${status} has codes of another status`,
            ];
          }),
        ]),
      ),
    ).toEqual([]);
  });

  it('describes every parameter, with an example, a default or an enum', () => {
    expect(
      lacking(({ parameters = [] }) =>
        parameters.flatMap(({ name, description, schema, example }) => [
          !description && `${name} is not described`,
          [example, schema.example, schema.default, schema.enum, schema.minimum].every((each) => each === undefined) &&
            `${name} has no example`,
        ]),
      ),
    ).toEqual([]);
  });

  /** Schemas and arguments of tools are whatever the operator and the model write. */
  const JSON_OF_TOOLS = /^\w*Tool\w*[.](?:parameters|arguments)$/;

  it('describes every field, and leaves no object open', () => {
    const faults: string[] = [];
    const look = (schema: JsonSchema, place: string): void => {
      const { type, properties, additionalProperties, items, anyOf = [], oneOf = [], $ref } = schema;
      if ($ref || JSON_OF_TOOLS.test(place)) return;
      const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
      if (isObject && !properties && typeof additionalProperties !== 'object') faults.push(`${place} is any object`);
      if (type === undefined && anyOf.length === 0 && oneOf.length === 0) faults.push(`${place} is anything`);
      for (const [name, property] of Object.entries(properties ?? {})) {
        if (!property.description) faults.push(`${place}.${name} is not described`);
        look(property, `${place}.${name}`);
      }
      if (typeof additionalProperties === 'object') look(additionalProperties, `${place}.*`);
      if (items) look(items, `${place}[]`);
      [...anyOf, ...oneOf].forEach((member, index) => look(member, `${place}(${index})`));
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
    for (const { operationId, requestBody, responses } of operationsOf(document)) {
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
      contents.flatMap((content) => Object.values(content ?? {})).forEach(({ schema }) => look(schema, operationId));
    }
    expect(faults).toEqual([]);
  });

  it('has examples that match their schemas', () => {
    const requests = Schemas.ofRequests(document);
    const answers = Schemas.ofResponses(document);
    const faultsOf = (schemas: Schemas, content: Record<string, MediaTypeObject> = {}) =>
      Object.values(content).flatMap((media) =>
        examplesOf(document, media).map(([name, value]) => {
          const fault = schemas.fault(media.schema, value);
          return fault && `${name}: ${fault}`;
        }),
      );
    expect(
      lacking(({ parameters = [], requestBody, responses }) => [
        requestBody?.content['application/json'] &&
          examplesOf(document, requestBody.content['application/json']).length === 0 &&
          'has no example',
        ...parameters.map(({ name, schema, example = schema.example }) => {
          const fault = example === undefined ? undefined : requests.fault(schema, example);
          return fault && `${name}: ${fault}`;
        }),
        ...faultsOf(requests, requestBody?.content),
        ...Object.values(responses).flatMap(({ content }) => faultsOf(answers, content)),
      ]),
    ).toEqual([]);
    for (const [name, { value }] of Object.entries(document.components.examples)) {
      expect([name, answers.fault(resolve(document, { $ref: '#/components/schemas/Error' }), value)]).toEqual([
        name,
        undefined,
      ]);
    }
  });

  it('rejects undocumented fields in a response, even in a nullable object', () => {
    const answers = Schemas.ofResponses(document);
    for (const type of ['object', ['object', 'null']]) {
      const schema: JsonSchema = { type, properties: { known: { type: 'string' } } };
      expect(answers.fault(schema, { known: '' })).toBeUndefined();
      expect(answers.fault(schema, { known: '', colour: 'red' })).toContain('(colour)');
    }
  });

  it('lists the events as webhooks, each with the schema of the catalogue and an example', () => {
    const answers = Schemas.ofResponses(document);
    expect(Object.keys(document.webhooks)).toEqual(EVENT_TYPES);
    for (const type of EVENT_TYPES) {
      const { post } = document.webhooks[type]!;
      const { schema, example } = post!.requestBody!.content['application/json']!;
      expect(schema.properties).toMatchObject({ type: { const: type }, data: EVENTS[type].schema });
      expect([type, answers.fault(schema, example)]).toEqual([type, undefined]);
      expect(post!.parameters!.map(({ name }) => name)).toContain('X-Service-Signature');
    }
  });

  it('has short portable patterns; no text with NUL matches a pattern or a format', () => {
    const patterns: string[] = [];
    const texts: string[] = [];
    const look = (node: unknown, place: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const { type, pattern, format, enum: words, const: word, anyOf } = node as JsonSchema;
      if (typeof pattern === 'string') patterns.push(pattern);
      else if ([type].flat().includes('string') && !(words ?? word ?? format ?? anyOf)) texts.push(place);
      for (const [key, value] of Object.entries(node)) if (!/^examples?$/.test(key)) look(value, `${place}.${key}`);
    };
    const { schemas } = document.components;
    const bodies = new Set<string>();
    const follow = (node: unknown): void => {
      for (const [, name] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (bodies.has(name!)) continue;
        bodies.add(name!);
        follow(schemas[name!]);
        look(schemas[name!], name!);
      }
    };
    for (const { operationId, parameters = [], requestBody } of operationsOf(document)) {
      // HTTP has no NUL in a header.
      const written = parameters.filter((parameter) => parameter.in !== 'header');
      for (const { name, schema } of written) look(schema, `${operationId}.${name}`);
      follow(requestBody ?? {});
    }
    expect(texts).toEqual([]);
    for (const pattern of patterns) {
      // The longest one lists ids.
      expect([pattern, pattern.length > 70]).toEqual([pattern, false]);
      expect([pattern, /\\[dswDSW]|[(][?][!=<]/.test(pattern)]).toEqual([pattern, false]);
      const form = new RegExp(pattern, 'u');
      for (const text of ['a\0b', '\0', 'https://example.com/\0', '\0@example.com', 'a'.repeat(20) + '\0']) {
        expect([pattern, text, form.test(text)]).toEqual([pattern, text, false]);
      }
    }
  });

  it('closes all request schemas', () => {
    const bodies = operationsOf(document).flatMap(({ requestBody }) => requestBody?.content['application/json'] ?? []);
    expect(bodies.length).toBeGreaterThan(8);
    for (const { schema } of bodies) {
      expect(resolve<JsonSchema>(document, schema as { $ref: string })).toMatchObject({ additionalProperties: false });
    }
  });
});
