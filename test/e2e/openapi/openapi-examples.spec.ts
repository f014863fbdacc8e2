import { BackupRunner } from '../../../src/admin/backups/backup-runner.service';
import type { Contract } from '../../openapi/contract';
import { isForLiveKeys, operationsOf, type Operation } from '../../openapi/document';
import { exampleRequests, type ExampleRequest, type Fixtures } from '../../openapi/requests';
import { contractOf } from '../../support/contract';
import { useGateway } from '../../support/gateway';
import { upload } from '../../support/media';
import { png } from '../../support/png';
import { resolveNoNames } from '../../support/no-names';

// Some two hundred requests, one after the other.
jest.setTimeout(120_000);

const gateway = useGateway();
let contract: Contract;

beforeAll(async () => {
  contract = await contractOf(gateway.url);
  resolveNoNames(gateway);
});

const create = async (path: string, body: unknown = {}) => {
  const { body: answer } = await gateway.api<Record<string, string>>('POST', path, body, { key: gateway.testKey });
  return answer.data;
};

/** What the ids of an operation's examples stand for, fresh: some operations do away with it. */
async function fixturesFor({ operationId, parameters, requestBody }: Operation): Promise<Fixtures> {
  // An example's URL may be registered once.
  await gateway.sql('DELETE FROM webhooks');
  // An hour has 10 backups through the API.
  await gateway.sql('DELETE FROM backups');
  if (!/_01h455vb4pex5vsknk084sn02q/.test(JSON.stringify([parameters, requestBody]))) return {};
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
  const webhook = await create('/webhooks', { url: 'https://example.com/hooks/gateway', events: ['backup.failed'] });
  const delivery = await create(`/webhooks/${webhook['id']}/test`);
  const backup = await gateway.api<{ id: string }>('POST', '/admin/backups');
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
    del: delivery['id']!,
    key: key['id']!,
    evt: delivery['event_id']!,
    bak: backup.body.data.id,
    att: file.body.data.id,
    code: gateway.gateway.signInCode!,
  };
}

const send = ({ method, path, body, headers }: ExampleRequest, key: string) =>
  gateway.api(method, path, body, { key, headers });

const isSuccessOf = ({ responses }: Operation, status: number) => status < 300 && String(status) in responses;

/** JSON, unless there is none. */
function defaultFormOf({ responses }: Operation, status: number): string {
  const forms = Object.keys(responses[status]!.content!);
  return forms.find((form) => form === 'application/json') ?? forms[0]!;
}

describe('Every example of the OpenAPI document', () => {
  it('succeeds with a test key, or a live one where that is needed, and is answered as documented', async () => {
    for (const operation of operationsOf(contract.document)) {
      for (const request of exampleRequests(contract.document, operation, await fixturesFor(operation))) {
        const { status, headers, body } = await send(
          request,
          isForLiveKeys(operation) ? gateway.liveKey : gateway.testKey,
        );
        const succeeded = isSuccessOf(operation, status);
        expect([request.name, succeeded ? 'succeeds' : body]).toEqual([request.name, 'succeeds']);
        const asked = request.headers['accept'] ?? defaultFormOf(operation, status);
        // A file has the type that it has.
        expect(String(headers['content-type'])).toContain(asked === '*/*' ? '/' : asked);
      }
    }
  });

  it('is answered as documented with a live key, which reaches nothing here', async () => {
    const statuses = new Set<number>();
    // The code of the first start works once.
    const operations = operationsOf(contract.document).filter(({ security }) => security!.length > 0);
    for (const operation of operations) {
      const [first] = exampleRequests(contract.document, operation, await fixturesFor(operation));
      statuses.add((await send(first!, gateway.liveKey)).status);
    }
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 201, 400, 404, 500]);
  });
});
