import { eventually } from '../../support/eventually';
import type { TestGateway } from '../../support/gateway';

/** A text that would run as a script if the page treated it as markup. */
export const HOSTILE_TEXT = `<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>`;

export interface Example {
  /** With a hostile message, `messageId`. */
  conversationId: string;
  messageId: string;
  /** A message that a platform refused. */
  failedMessageId: string;
  webhookId: string;
  /** An event, and an attempt to deliver it to the webhook. */
  eventId: string;
  deliveryId: string;
  keyId: string;
  toolId: string;
  accountId: string;
}

/** Fills every page with data of the test environment: people with awkward names, a failure, a webhook. */
export async function playExample(gateway: TestGateway): Promise<Example> {
  const key = gateway.testKey;
  const call = async <T>(method: string, path: string, body?: unknown) =>
    (await gateway.api<T>(method, path, body, { key })).body.data;
  const play = (id: string, name: string, content: string, platform = 'telegram') =>
    call<{ conversation_id: string; message_id: string }>('POST', '/sandbox/inbound', {
      platform,
      sender: { id, name },
      content,
    });

  const webhook = await call<{ id: string }>('POST', '/webhooks', {
    url: 'https://example.invalid/hook',
    events: ['*'],
  });
  const tool = await call<{ id: string }>('POST', '/tools', {
    name: 't'.repeat(64),
    description: HOSTILE_TEXT,
    parameters: { type: 'object', properties: { order: { type: 'string', description: HOSTILE_TEXT } } },
    url: `https://example.invalid/${'p'.repeat(200)}`,
  });
  const { conversation_id, message_id } = await play('1', HOSTILE_TEXT.slice(0, 64), HOSTILE_TEXT);
  await play('2', 'N'.repeat(256), 'W'.repeat(2_000), 'whatsapp');
  await play('3', 'مرحبا بالعالم', 'سلام עולם', 'discord');
  const failed = await call<{ message_id: string }>('POST', '/messages/send', {
    platform: 'telegram',
    recipient: 'sandbox_fail',
    message: 'Hello',
  });
  await eventually('the sandbox has answered', async () => {
    const answers = await call<unknown[]>('GET', '/messages?direction=outbound');
    expect(answers.length).toBeGreaterThanOrEqual(4);
  });
  const [delivery] = await eventually('a delivery was tried', async () => {
    const tried = await call<{ id: string; event_id: string }[]>('GET', `/webhooks/${webhook.id}/deliveries`);
    expect(tried.length).toBeGreaterThan(0);
    return tried;
  });
  const [apiKey] = await call<{ id: string }[]>('GET', '/admin/api-keys?environment=test');
  const [account] = await call<{ id: string }[]>('GET', '/integrations');
  return {
    conversationId: conversation_id,
    messageId: message_id,
    failedMessageId: failed.message_id,
    webhookId: webhook.id,
    eventId: delivery!.event_id,
    deliveryId: delivery!.id,
    keyId: apiKey!.id,
    toolId: tool.id,
    accountId: account!.id,
  };
}
