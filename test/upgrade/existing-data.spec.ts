import { rm } from 'node:fs/promises';
import { request } from 'undici';
import { Deployment } from '../faults/deployment';
import { eventually } from '../support/eventually';
import { sharedPostgres } from '../support/postgres';
import type { GatewayProcess } from '../support/process';
import { buildPreviousVersion, hasPreviousVersion } from './previous-version';

interface Conversation {
  id: string;
  ai_paused: boolean;
  handling: string;
  handover: { resume_at: string | null } | null;
  merged_into?: string | null;
  message_count: number;
}

interface Settings {
  retention: { delivery_days: number; event_days: number; message_days: number | null };
  handover: { by_assistant: boolean };
}

(hasPreviousVersion() ? describe : describe.skip)('a database of the previous version', () => {
  let previous: string;
  let deployment: Deployment;
  let before: GatewayProcess;
  let now: GatewayProcess;
  let paused: string;
  let other: string;

  /** Replaces `api`, which checks answers against the OpenAPI document of one version. */
  async function call<Data>(gateway: GatewayProcess, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) {
    const answer = await request(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${deployment.key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const { data } = (await answer.body.json()) as { data: Data };
    expect([200, 201]).toContain(answer.statusCode);
    return data;
  }

  /** A person writes for the first time. @returns the id of the conversation */
  async function write(gateway: GatewayProcess, id: string, more: object = {}): Promise<string> {
    const inbound = { platform: 'telegram', sender: { id }, content: 'Hello', ...more };
    return (await call<{ conversation_id: string }>(gateway, 'POST', '/sandbox/inbound', inbound)).conversation_id;
  }

  const read = (gateway: GatewayProcess, id: string) => call<Conversation>(gateway, 'GET', `/conversations/${id}`);

  beforeAll(async () => {
    previous = await buildPreviousVersion();
    deployment = await Deployment.create({ databaseUrl: await (await sharedPostgres()).createEmptyDatabase() });
    before = await deployment.startInstance({ DASHBOARD: 'false' }, previous);
    await call(before, 'PATCH', '/admin/settings', { retention: { delivery_days: 9 } });
    paused = await write(before, 'ada');
    other = await write(before, 'bob');
    await call(before, 'PATCH', `/conversations/${paused}`, { ai_paused: true });
    now = await deployment.startInstance({ DASHBOARD: 'false' });
  }, 300_000);

  afterAll(async () => {
    await deployment?.stop();
    if (previous) await rm(previous, { recursive: true, force: true });
  });

  it('keeps its behaviour: no handover tool for the model, events as long as deliveries, messages for ever', async () => {
    const { retention, handover } = await call<Settings>(now, 'GET', '/admin/settings');
    expect(handover.by_assistant).toBe(false);
    expect(retention).toMatchObject({ delivery_days: 9, event_days: 9, message_days: null });
  });

  it('has its paused conversations with a person, without an end', async () => {
    expect(await read(now, paused)).toMatchObject({ ai_paused: true, handling: 'human' });
    expect((await read(now, paused)).handover).toMatchObject({ resume_at: null });
    expect(await read(now, other)).toMatchObject({ ai_paused: false, handling: 'assistant', handover: null });
  });

  it('shows in both versions who has a conversation, whichever version changes it', async () => {
    await call(before, 'PATCH', `/conversations/${other}`, { ai_paused: true });
    await eventually('this version shows the pause', async () =>
      expect(await read(now, other)).toMatchObject({ ai_paused: true, handling: 'human' }),
    );
    await call(now, 'POST', `/conversations/${other}/resume`);
    expect((await read(before, other)).ai_paused).toBe(false);
    await call(now, 'POST', `/conversations/${other}/handover`, {});
    expect((await read(before, other)).ai_paused).toBe(true);
    await call(before, 'PATCH', `/conversations/${other}`, { ai_paused: false });
    await eventually('this version shows the end of the pause', async () =>
      expect(await read(now, other)).toMatchObject({ ai_paused: false, handling: 'assistant', handover: null }),
    );
  });

  it('still has every message of a group answered', async () => {
    const id = await write(now, 'ada', { group: { id: '-1001234' } });
    await eventually('it is answered', async () => expect((await read(now, id)).message_count).toBe(2));
  });

  it('has one conversation for a person with two ids, in both versions', async () => {
    const older = await write(before, 'first');
    const newer = await write(before, 'second');
    await write(now, 'second', { sender: { id: 'second', other_id: 'first' } });
    await call(now, 'POST', `/conversations/${newer}/handover`, {});
    expect(await read(now, newer)).toMatchObject({ merged_into: older });
    for (const gateway of [before, now, before])
      for (const id of ['first', 'second']) expect(await write(gateway, id)).toBe(older);
    expect(await read(now, older)).toMatchObject({ merged_into: null, handling: 'human' });
    expect(await read(before, newer)).toMatchObject({ ai_paused: false });
  });
});
