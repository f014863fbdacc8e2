import { useGateway } from '../../support/gateway';

interface Shown {
  id: string;
  labels: string[];
  metadata: Record<string, string>;
  handling: string;
}

interface Handover {
  assignee: string | null;
  note: string | null;
  reason: string | null;
  taken_at: string | null;
  resumed_at: string | null;
  ended_by: string | null;
}

describe('A conversation', () => {
  const gateway = useGateway();
  let person = 7_000;
  const call = <Data = unknown>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });
  const open = async () => {
    const sender = { id: String(++person), name: 'Ada' };
    await call('POST', '/sandbox/inbound', { platform: 'telegram', sender, content: 'Hello' });
    return (await call<Shown[]>('GET', '/conversations?per_page=1&sort=-created_at')).body.data[0]!.id;
  };
  const change = (id: string, body: object) => call<Shown>('PATCH', `/conversations/${id}`, body);
  const labelled = async (label: string) =>
    (await call<Shown[]>('GET', `/conversations?label=${encodeURIComponent(label)}`)).body;

  beforeAll(() => call('PATCH', '/admin/settings', { ai: { auto_reply: false } }));

  it('has labels and metadata, which a change replaces, a filter finds and an erasure removes', async () => {
    const [id, other] = [await open(), await open()];
    expect((await call<Shown>('GET', `/conversations/${id}`)).body.data).toMatchObject({ labels: [], metadata: {} });
    const set = { labels: ['vip', 'order 4711', 'vip'], metadata: { order: '4711', note: '', constructor: 'x' } };
    const shown = { labels: ['vip', 'order 4711'], metadata: set.metadata };
    expect((await change(id, set)).body.data).toMatchObject(shown);
    await change(other, { labels: ['VIP'] });
    const { data, meta } = await labelled('vip');
    expect(data).toEqual([expect.objectContaining({ id, ...shown })]);
    expect(meta.pagination).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });
    expect((await labelled('order')).data).toEqual([]);

    expect((await change(id, { metadata: { name: 'Ada' } })).body.data).toMatchObject({
      labels: shown.labels,
      metadata: { name: 'Ada' },
    });
    await call('DELETE', `/conversations/${id}`);
    expect((await call<Shown>('GET', `/conversations/${id}`)).body.data).toMatchObject({ labels: [], metadata: {} });
    expect((await labelled('vip')).data).toEqual([]);
  });

  it.each([
    ['21 labels', 'labels', { labels: Array.from({ length: 21 }, (_, index) => `label ${index}`) }],
    ['a long label', 'labels[0]', { labels: ['x'.repeat(51)] }],
    ['a blank label', 'labels[0]', { labels: [' '] }],
    ['a label that is no text', 'labels[0]', { labels: [1] }],
    ['labels that are no list', 'labels', { labels: 'vip' }],
    ['21 pairs', 'metadata', { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`key${n}`, 'x'])) }],
    ['a long key', 'metadata', { metadata: { ['k'.repeat(51)]: 'x' } }],
    ['a long value', 'metadata', { metadata: { key: 'x'.repeat(501) } }],
    ['a value that is no text', 'metadata', { metadata: { key: 1 } }],
    ['metadata that is null', 'metadata', { metadata: null }],
  ])('refuses %s', async (_, parameter, body) => {
    const { status, body: answer } = await change(await open(), body);
    expect([status, answer]).toMatchObject([400, { error: { code: 'INVALID_PARAMETER', details: { parameter } } }]);
  });

  it('lists its handovers, newest first, until it is erased', async () => {
    const id = await open();
    const handovers = async (more = '') =>
      (await call<Handover[]>('GET', `/conversations/${id}/handovers${more}`)).body;
    await call('POST', `/conversations/${id}/handover`, { assignee: 'Grace', note: 'Waits for a refund.' });
    await call('POST', `/conversations/${id}/resume`);
    await call('POST', `/conversations/${id}/handover`, { assignee: 'Joan' });
    const { data, meta } = await handovers();
    expect(data).toMatchObject([
      { assignee: 'Joan', note: null, resumed_at: null, ended_by: null },
      { assignee: 'Grace', note: 'Waits for a refund.', reason: null, ended_by: 'request' },
    ]);
    expect(Date.parse(data[1]!.resumed_at!)).toBeGreaterThanOrEqual(Date.parse(data[1]!.taken_at!));
    expect(meta.pagination.total).toBe(2);
    expect((await handovers('?per_page=1&page=2')).data).toMatchObject([{ assignee: 'Grace' }]);
    await call('DELETE', `/conversations/${id}`);
    expect((await handovers()).data).toEqual([]);
    const unknown = await call('GET', '/conversations/conv_01h455vb4pex5vsknk084sn02q/handovers');
    expect(unknown.status).toBe(404);
  });
});
