import { BackupRunner } from '../../src/operations/backups/backup-runner.service';
import { finishSchema } from '../../src/core/database/data-source';
import type { IntegrationDto } from '../../src/integrations/dto/integration.dto';
import type { Operation } from '../openapi/document';
import type { Fixtures } from '../openapi/requests';
import type { useGateway } from './gateway';
import { upload } from './media';
import { png } from './png';

/** A bot of its own for the operations that change it, else the account of the environment. */
async function accountFor(gateway: ReturnType<typeof useGateway>, operationId: string): Promise<string> {
  const key = gateway.testKey;
  const list = () => gateway.api<IntegrationDto[]>('GET', '/integrations', undefined, { key });
  if (!/^integrations[.](?:create|update|delete)$/.test(operationId)) return (await list()).body.data[0]!.id!;
  await finishSchema(gateway.databaseUrl, { info: () => undefined, warn: () => undefined });
  for (const { id, source } of (await list()).body.data)
    if (source === 'api') await gateway.api('DELETE', `/integrations/${id}`, undefined, { key });
  if (operationId === 'integrations.create') return '';
  const body = { platform: 'telegram', name: 'Example', credentials: { bot_token: '7012345678:first' } };
  return (await gateway.api<IntegrationDto>('POST', '/integrations', body, { key })).body.data.id!;
}

/** What the ids of an operation's examples stand for, fresh: some operations do away with it. */
export async function fixturesFor(
  gateway: ReturnType<typeof useGateway>,
  { operationId, parameters, requestBody }: Operation,
): Promise<Fixtures> {
  const create = async (path: string, body: unknown = {}) => {
    const { body: answer } = await gateway.api<Record<string, string>>('POST', path, body, { key: gateway.testKey });
    if (answer.data === undefined) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  // An example's URL may be registered once.
  await gateway.sql('DELETE FROM webhooks');
  // An hour has 10 backups through the API.
  await gateway.sql('DELETE FROM backups');
  const account = await accountFor(gateway, operationId);
  const asked = JSON.stringify([parameters, requestBody]);
  if (!asked.includes('_01h455vb4pex5vsknk084sn02q')) return {};
  // A preview answers what a person wrote.
  if (operationId === 'ai.preview')
    await create('/sandbox/inbound', { platform: 'whatsapp', sender: { id: '15550109999' }, content: 'Hello' });
  const sent = await create('/messages/send', {
    platform: 'whatsapp',
    recipient: '15550109999',
    message: 'Until when?',
    ...(operationId === 'messages.cancel' && { send_at: new Date(Date.now() + 3_600_000).toISOString() }),
  });
  const { body } = await gateway.api<{ conversation_id: string }>('GET', `/messages/${sent['message_id']}`, undefined, {
    key: gateway.testKey,
  });
  // The sandbox never fails to answer.
  if (operationId === 'conversations.answer')
    await gateway.sql(
      `INSERT INTO reply_tasks (conversation_id, environment, requested_seq, last_error)
       SELECT id, environment, message_count, '{"code": "overloaded", "message": "The AI provider is overloaded"}' FROM conversations
       ON CONFLICT (conversation_id) DO UPDATE SET requested_seq = excluded.requested_seq, last_error = excluded.last_error`,
    );
  const webhook = await create('/webhooks', { url: 'https://example.com/hooks/gateway', events: ['backup.failed'] });
  await gateway.sql('DELETE FROM tools');
  const tool = await create('/tools', {
    name: 'example',
    description: 'An example.',
    parameters: { type: 'object' },
    url: 'https://example.com/tools/example',
  });
  const delivery = await create(`/webhooks/${webhook['id']}/test`);
  // A backup takes a second: only those who ask for one get it.
  const backup = asked.includes('bak_') ? await gateway.api<{ id: string }>('POST', '/admin/backups') : undefined;
  await gateway.app.get(BackupRunner).ended();
  const file = await upload(gateway, png(), { key: gateway.testKey });
  const key = await create('/admin/api-keys', { name: 'Example', scopes: ['read:status'] });
  if (operationId === 'problems.dismiss')
    await create('/messages/send', { platform: 'telegram', recipient: 'sandbox_blocked', message: 'Hello' });
  const problems = await gateway.api<{ id: string }[]>('GET', '/problems', undefined, { key: gateway.testKey });
  return {
    prob: problems.body.data[0]?.id ?? '',
    msg: sent['message_id']!,
    conv: body.data.conversation_id,
    wh: webhook['id']!,
    tool: tool['id']!,
    del: delivery['id']!,
    key: key['id']!,
    evt: delivery['event_id']!,
    bak: backup?.body.data.id ?? '',
    att: file.body.data.id,
    code: gateway.gateway.signInCode!,
    acc: account,
  };
}
