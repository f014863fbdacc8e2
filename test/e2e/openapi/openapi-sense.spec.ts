import { apiDocument } from '../../client/api-types';
import { examplesOf, operationsOf, type OpenApiDocument } from '../../openapi/document';

type Fields = Record<string, unknown>;

/** Fields of one object, each no later than the next. */
const IN_ORDER = [
  ['start', 'end'],
  ['first_at', 'last_at'],
  ['started_at', 'finished_at', 'verified_at'],
  ['created_at', 'last_message_at'],
  ['created_at', 'last_used_at', 'revoked_at'],
  ['created_at', 'sent_at', 'delivered_at', 'read_at'],
  ['created_at', 'expires_at'],
  ['requested_at', 'taken_at', 'resume_at'],
  ['timestamp', 'next_retry_at'],
  ['last_error_at', 'last_success_at'],
];

/** The fields that an object with these values must have, and must not have. */
const STATES: { when: Fields; has?: string[]; lacks?: string[] }[] = [
  { when: { status: 'sent' }, has: ['sent_at', 'sent_by'], lacks: ['error', 'delivered_at', 'read_at'] },
  { when: { status: 'delivered' }, has: ['delivered_at'], lacks: ['error'] },
  { when: { status: 'failed' }, has: ['error'] },
  { when: { status: 'received' }, lacks: ['error', 'sent_by', 'tokens', 'ai_model', 'delivered_at', 'read_at'] },
  { when: { direction: 'outbound' }, has: ['sent_by'], lacks: ['interactive_reply'] },
  { when: { sent_by: 'assistant' }, has: ['ai_model', 'tokens'] },
  { when: { status: 'completed' }, has: ['finished_at', 'size_bytes', 'sha256', 'rows'], lacks: ['error'] },
  {
    when: { status: 'running' },
    lacks: ['finished_at', 'size_bytes', 'sha256', 'rows', 'files', 'error', 'verified_at'],
  },
  { when: { status: 'connected' }, has: ['connected_at'], lacks: ['error'] },
  { when: { status: 'active' }, lacks: ['revoked_at'] },
  { when: { status: 'revoked' }, has: ['revoked_at'] },
  { when: { status: 'success' }, has: ['response_code'], lacks: ['error', 'next_retry_at'] },
  { when: { status: 'stored', kind: 'image' }, has: ['sha256', 'width'], lacks: ['duration_seconds', 'reason'] },
  { when: { status: 'pending', kind: 'image' }, lacks: ['sha256', 'reason', 'transcript'] },
  { when: { handling: 'assistant' }, lacks: ['handover'] },
  { when: { handling: 'human' }, has: ['handover'] },
  { when: { ai_paused: true, handling: 'assistant' }, lacks: ['handling'] },
  { when: { platform: 'telegram' }, lacks: ['window', 'billing'] },
];

const isMoney = (name: string) => name.endsWith('_usd');
const numbersOf = (each: Fields) => Object.entries(each).filter(([, value]) => typeof value === 'number');

/** The faults of one object of an example: times out of order, states that cannot be, sums that differ. */
function faultsOf(each: Fields): string[] {
  const times = IN_ORDER.flatMap((names) => {
    const present = names.filter((name) => typeof each[name] === 'string');
    return present.slice(1).flatMap((name, index) => {
      const earlier = present[index]!;
      return String(each[earlier]) <= String(each[name]) ? [] : [`${earlier} is after ${name}`];
    });
  });
  const states = STATES.filter(({ when }) => Object.entries(when).every(([name, value]) => each[name] === value));
  const stateFaults = states.flatMap(({ when, has = [], lacks = [] }) => [
    ...has
      .filter((name) => name in each && each[name] === null)
      .map((name) => `${JSON.stringify(when)} has no ${name}`),
    ...lacks.filter((name) => (each[name] ?? null) !== null).map((name) => `${JSON.stringify(when)} has ${name}`),
  ]);
  return [...times, ...stateFaults, ...sumFaults(each)];
}

/** A list of parts, such as `by_day`, adds up to the fields of the whole. */
function sumFaults(each: Fields): string[] {
  const faults: string[] = [];
  const check = (whole: Fields, parts: Fields[], place: string) => {
    for (const [name, total] of numbersOf(whole)) {
      const shares = parts.map((part) => part[name]);
      if (!shares.every((share) => typeof share === 'number')) continue;
      const sum = shares.reduce<number>((before, share) => before + share, 0);
      if (Math.abs(sum - (total as number)) > (isMoney(name) ? 1e-9 : 0)) faults.push(`${place} of ${name}: ${sum}`);
    }
  };
  // A request may be counted though no model was asked.
  if (each['by_day']) check(each, each['by_day'] as Fields[], 'by_day');
  if (each['by_model']) check({ cost_usd: each['cost_usd'] }, each['by_model'] as Fields[], 'by_model');
  const totals = each['totals'] as Fields | undefined;
  if (totals) {
    check(totals, each['timeline'] as Fields[], 'timeline');
    const platforms = Object.values(each['by_platform'] as Record<string, number>);
    check(totals, [{ messages: platforms.reduce((a, b) => a + b, 0) }], 'by_platform');
  }
  if (typeof each['billable'] === 'number' && each['billable'] > (each['messages'] as number))
    faults.push('more is billable than was sent');
  if (typeof each['key'] === 'string') {
    const masked = String(each['masked_key']).split('…');
    if (!each['key'].startsWith(masked[0]!) || !each['key'].endsWith(masked[1]!))
      faults.push('the masked key is another');
  }
  return faults;
}

/** Every object of a value, with its place. */
function objectsOf(value: unknown, place: string): [string, Fields][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => objectsOf(item, `${place}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return [
    [place, value as Fields],
    ...Object.entries(value).flatMap(([name, inner]) => objectsOf(inner, `${place}.${name}`)),
  ];
}

describe('the examples of the OpenAPI document', () => {
  let document: OpenApiDocument;

  beforeAll(async () => {
    document = (await apiDocument()) as unknown as OpenApiDocument;
  });

  it('make sense: times in order, possible states, correct sums', () => {
    const answers = operationsOf(document).flatMap(({ operationId, responses }) =>
      Object.values(responses).flatMap(({ content = {} }) =>
        Object.values(content).flatMap((media) =>
          examplesOf(document, media).map(([, value]) => [operationId, value] as const),
        ),
      ),
    );
    const events = Object.entries(document.webhooks).map(
      ([type, { post }]) => [type, post!.requestBody!.content['application/json']!.example] as const,
    );
    // It does look at them.
    expect(answers.length + events.length).toBeGreaterThan(80);
    const faults = [...answers, ...events]
      .flatMap(([name, value]) => objectsOf(value, name))
      .flatMap(([place, each]) => faultsOf(each).map((fault) => `${place}: ${fault}`));
    expect([...new Set(faults)]).toEqual([]);
  });

  it.each([
    [{ status: 'sent', sent_at: null }, '{"status":"sent"} has no sent_at'],
    [{ started_at: '2026-01-02', finished_at: '2026-01-01' }, 'started_at is after finished_at'],
    [{ messages: 3, by_day: [{ messages: 1 }, { messages: 1 }] }, 'by_day of messages: 2'],
  ])('would be rejected: %j', (example, fault) => {
    expect(faultsOf(example)).toEqual([fault]);
  });
});
