import { eventually } from '../../support/eventually';
import { startTestGateway } from '../../support/gateway';

it('GET /messages?expand=details returns the same items as single reads', async () => {
  const gateway = await startTestGateway();
  const call = <Data>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });
  await call('POST', '/sandbox/inbound', { platform: 'telegram', sender: { id: '7' }, content: 'Hello' });
  await call('POST', '/messages/send', { platform: 'telegram', recipient: 'sandbox_fail', message: 'No' });
  const items = await eventually('the assistant has answered', async () => {
    const { body } = await call<{ id: string; status: string }[]>('GET', '/messages?expand=details');
    expect(body.data.map(({ status }) => status).toSorted()).toEqual(['delivered', 'failed', 'received']);
    return body.data;
  });
  for (const item of items) expect(item).toEqual((await call('GET', `/messages/${item.id}`)).body.data);
  const withUsage = await call('GET', '/messages?expand=usage');
  const time = expect.any(Number) as number;
  expect(withUsage.body.data).toEqual(
    items.map((item) => ({
      ...item,
      latency_ms: item.status === 'received' ? null : time,
      cost_usd: item.status === 'delivered' ? 0 : null,
    })),
  );
  const plain = await call<object[]>('GET', '/messages');
  expect(Object.keys(plain.body.data[0]!)).toHaveLength(7);
  const byConversation = await call<object[]>('GET', '/messages?expand=details&sort=platform&direction=inbound');
  expect(byConversation.body.data).toEqual([items.find(({ status }) => status === 'received')]);
  expect((await call('GET', '/messages?expand=all')).status).toBe(400);
});
