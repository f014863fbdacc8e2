import { Pool } from 'undici';
import { mergeChanges } from '../../../src/core/settings/settings';
import { nameOf, placesOf, probesOf, withValue, type Probe } from '../../openapi/bounds';
import {
  examplesOf,
  isForLiveKeys,
  operationsOf,
  type OpenApiDocument,
  type Operation,
  type ParameterObject,
} from '../../openapi/document';
import { textOf } from '../../support/api';
import { contractOf } from '../../support/contract';
import { useGateway } from '../../support/gateway';
import { resolveNoNames } from '../../support/no-names';

/** The faults that an answer tells. */
interface Refusal {
  code: string;
  details: { parameter?: string; fields?: string[]; errors?: { parameter: string }[] } | null;
}

interface Try {
  operation: Operation;
  place: string;
  probe: Probe;
  body?: unknown;
  query?: string;
  headers?: Record<string, string>;
}

/** What refuses a value of the right form: the state of the gateway, and what other parameters say. */
const OF_THE_WORLD = /still kept|is registered already|at most 24 hours apart/;

jest.setTimeout(60_000);

const gateway = useGateway({ env: { TRUST_PROXY: '127.0.0.0/8' } });
let pool: Pool;
let document: OpenApiDocument;
let ids: Record<string, string>;
let tried = 0;

beforeAll(async () => {
  pool = new Pool(gateway.url, { connections: 4 });
  ({ document } = await contractOf(gateway.url));
  resolveNoNames(gateway);
  const create = async (path: string, body: unknown) =>
    (await gateway.api<Record<string, string>>('POST', path, body, { key: gateway.testKey })).body.data;
  const inbound = { platform: 'telegram', sender: { id: '7' }, content: 'Hello' };
  const { message_id, conversation_id } = await create('/sandbox/inbound', inbound);
  const webhook = await create('/webhooks', { url: 'https://hooks.example.com/7', events: ['message.received'] });
  const delivery = await create(`/webhooks/${webhook['id']}/test`, undefined);
  const key = await create('/admin/api-keys', { name: 'Key', scopes: ['read:status'] });
  ids = {
    message_id: message_id!,
    conversation_id: conversation_id!,
    webhook_id: webhook['id']!,
    delivery_id: delivery['id']!,
    key_id: key['id']!,
    platform: 'telegram',
  };
});

afterAll(async () => {
  process.stdout.write(`  ${tried} values at the bounds of the document and beyond\n`);
  await pool.close();
});

const operations = () => operationsOf(document).filter(({ path }) => path.startsWith('/api/'));

/** The tries of an operation's body, each with the rest of it as in its examples. */
function bodyTries(operation: Operation): Try[] {
  const json = operation.requestBody?.content['application/json'];
  if (!json) return [];
  const base = examplesOf(document, json).reduceRight<Record<string, unknown>>(
    (merged, [, value]) => mergeChanges(merged, value as Record<string, unknown>),
    {},
  );
  return placesOf(document, json.schema).flatMap((place) =>
    probesOf(document, place).map((probe) => ({
      operation,
      place: nameOf(place.path),
      probe,
      body: withValue(base, place.path, probe.value),
    })),
  );
}

/** A header has text of ASCII alone. */
const goesInHeader = (value: unknown) => value === undefined || /^[\x20-\x7e]*$/.test(value as string);

const inAscii = (probe: Probe): Probe =>
  typeof probe.value === 'string' ? { ...probe, value: probe.value.replaceAll('🦊', 'a') } : probe;

function parameterTries(operation: Operation): Try[] {
  return (operation.parameters ?? [])
    .filter((parameter) => parameter.in !== 'path')
    .flatMap((parameter) =>
      probesOfParameter(parameter)
        .map((probe) => (parameter.in === 'header' ? inAscii(probe) : probe))
        .filter(({ value }) => parameter.in !== 'header' || goesInHeader(value))
        .map((probe) => parameterTry(operation, parameter, probe)),
    );
}

/** Text is all that a query has: neither null nor a wrong type. */
function probesOfParameter({ name, schema, required = false }: ParameterObject): Probe[] {
  return probesOf(document, { path: [name], schema, isRequired: required }).filter(
    ({ bound }) => !['null', 'string', 'array', 'object'].includes(bound),
  );
}

function parameterTry(operation: Operation, parameter: ParameterObject, probe: Probe): Try {
  const { name } = parameter;
  // Words, and numbers as JSON has them.
  const text = typeof probe.value === 'string' ? probe.value : JSON.stringify(probe.value);
  const json = operation.requestBody?.content['application/json'];
  const body = json && examplesOf(document, json)[0]![1];
  if (parameter.in === 'header')
    return { operation, place: name, probe, body, headers: text === undefined ? {} : { [name]: text } };
  const query = text === undefined ? '' : `?${new URLSearchParams({ [name]: text }).toString()}`;
  return { operation, place: name, probe, body, query };
}

async function refusalOf({ operation, body, query = '', headers }: Try): Promise<Refusal | undefined> {
  tried += 1;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');
  const answer = await pool.request({
    method: operation.method,
    path: path + query,
    headers: {
      authorization: `Bearer ${isForLiveKeys(operation) ? gateway.liveKey : gateway.testKey}`,
      // The operation without a key is limited by address.
      'x-forwarded-for': `198.51.${Math.floor(tried / 250)}.${tried % 250}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await textOf(answer, operation.method);
  if (answer.statusCode >= 429) throw new Error(`${operation.operationId} answered ${answer.statusCode}: ${text}`);
  return answer.statusCode === 400 ? (JSON.parse(text) as { error: Refusal }).error : undefined;
}

function named({ details }: Refusal): string[] {
  return [
    details?.parameter,
    ...(details?.fields ?? []),
    ...(details?.errors ?? []).map(({ parameter }) => parameter),
  ].filter((name) => name !== undefined);
}

/** Whether a name that is told is of the place: itself, or a place within it. */
const isOf = (name: string, place: string) =>
  place === '' || name === place || name.startsWith(`${place}.`) || name.startsWith(`${place}[`);
/** Of what is beyond a bound of a part, the whole may be told: the items of a list have a bound together, too. */
const tells = (name: string, place: string) => isOf(name, place) || isOf(place, name);

/** @returns how the answer differs from the document; undefined: it does not */
async function differenceOf(each: Try): Promise<string | undefined> {
  const { operation, place, probe } = each;
  const what = `${operation.operationId} ${place || 'body'}: ${probe.bound}, ${shown(probe.value)}`;
  const refusal = await refusalOf(each);
  const names = refusal ? named(refusal) : [];
  if (!probe.admitted) {
    if (!refusal) return `${what} is accepted`;
    if (place !== '' && names.length > 0 && !names.some((name) => tells(name, place)))
      return `${what} is refused for ${names.join()}`;
    return undefined;
  }
  if (!refusal || !names.some((name) => isOf(name, place))) return undefined;
  if (OF_THE_WORLD.test(JSON.stringify(refusal)) || /must be the id of a/.test(JSON.stringify(refusal)))
    return undefined;
  return `${what} is refused: ${JSON.stringify(refusal)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'left out';
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text;
}

async function differences(tries: readonly Try[]): Promise<string[]> {
  const found: string[] = [];
  for (const each of tries) {
    const difference = await differenceOf(each);
    if (difference !== undefined) found.push(difference);
  }
  return found;
}

/**
 * An address is looked at after the message that is replied to, which the example's is not. An account must exist. A search needs a
 * letter or a digit, a time zone a name that is known, and prices are kept under the full name of their model.
 */
const isOfAnotherSpec = (place: string) =>
  /^messages[.]send attachments.*[.]url$|^(?:messages[.]send|sandbox[.]play|templates[.]\w+) account$/.test(place) ||
  ['messages.list q', 'statistics.getAiUsage time_zone'].includes(place) ||
  /^settings[.]update ai[.]prices[.]name-0[.]/.test(place);

describe('Each bound of the OpenAPI document', () => {
  it('for a body: the API accepts the value at the bound and refuses the next one', async () => {
    const tries = operations()
      .flatMap(bodyTries)
      .filter(({ operation, place }) => !isOfAnotherSpec(`${operation.operationId} ${place}`));
    expect(tries.length).toBeGreaterThan(200);
    expect(await differences(tries)).toEqual([]);
  });

  it('for a query or a header: the API accepts the value at the bound and refuses the next one', async () => {
    const tries = operations()
      .flatMap(parameterTries)
      .filter(({ operation, place }) => !isOfAnotherSpec(`${operation.operationId} ${place}`));
    expect(tries.length).toBeGreaterThan(200);
    expect(await differences(tries)).toEqual([]);
  });
});
