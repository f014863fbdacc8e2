import { eventually } from '../../support/eventually';
import type { TestGateway } from '../../support/gateway';

/** A text that would run, were it taken for markup. */
export const HOSTILE_TEXT = `<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>`;

export interface Example {
  /** With a hostile message. */
  conversationId: string;
  webhookId: string;
}

/** Plays what fills every page, in the test environment: people with awkward names, a failure, a webhook. */
export async function playExample(gateway: TestGateway): Promise<Example> {
  const key = gateway.testKey;
  const call = async <T>(method: string, path: string, body?: unknown) =>
    (await gateway.api<T>(method, path, body, { key })).body.data;
  const play = (id: string, name: string, content: string, platform = 'telegram') =>
    call<{ conversation_id: string }>('POST', '/sandbox/inbound', { platform, sender: { id, name }, content });

  const webhook = await call<{ id: string }>('POST', '/webhooks', {
    url: 'https://example.invalid/hook',
    events: ['*'],
  });
  const { conversation_id } = await play('1', HOSTILE_TEXT.slice(0, 64), HOSTILE_TEXT);
  await play('2', 'N'.repeat(256), 'W'.repeat(2_000), 'whatsapp');
  await play('3', 'مرحبا بالعالم', 'سلام עולם', 'discord');
  await call('POST', '/messages/send', { platform: 'telegram', recipient: 'sandbox_fail', message: 'Hello' });
  await eventually('the sandbox has answered', async () => {
    const answers = await call<unknown[]>('GET', '/messages?direction=outbound');
    expect(answers.length).toBeGreaterThanOrEqual(4);
  });
  return { conversationId: conversation_id, webhookId: webhook.id };
}
