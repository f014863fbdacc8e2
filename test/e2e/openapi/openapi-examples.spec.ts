import type { Contract } from '../../openapi/contract';
import { isForLiveKeys, operationsOf, type Operation } from '../../openapi/document';
import { exampleRequests, type ExampleRequest } from '../../openapi/requests';
import { contractOf } from '../../support/contract';
import { useGateway } from '../../support/gateway';
import { resolveNoNames } from '../../support/no-names';
import { fixturesFor } from '../../support/operation-fixtures';

// Some two hundred requests, one after the other.
jest.setTimeout(120_000);

const gateway = useGateway();
let contract: Contract;

beforeAll(async () => {
  contract = await contractOf(gateway.url);
  resolveNoNames(gateway);
});

const send = ({ method, path, body, headers }: ExampleRequest, key: string) =>
  gateway.api(method, path, body, { key, headers });

const isSuccessOf = ({ responses }: Operation, status: number) => status < 300 && String(status) in responses;

/** JSON, unless there is none. */
function defaultFormOf({ responses }: Operation, status: number): string {
  const forms = Object.keys(responses[status]!.content!);
  return forms.find((form) => form === 'application/json') ?? forms[0]!;
}

/** Their examples need a server of the provider: ai-providers.spec.ts has one. */
const NEED_A_PROVIDER = new Set(['ai.listModels', 'ai.setProvider', 'ai.deleteProvider']);

describe('Every example of the OpenAPI document', () => {
  it('succeeds with a test key, or a live one where needed, with a documented response', async () => {
    const operations = operationsOf(contract.document).filter(({ operationId }) => !NEED_A_PROVIDER.has(operationId));
    for (const operation of operations) {
      for (const request of exampleRequests(contract.document, operation, await fixturesFor(gateway, operation))) {
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

  it('has a documented response with a live key, which reaches no platform here', async () => {
    const statuses = new Set<number>();
    // The code of the first start works once.
    const operations = operationsOf(contract.document).filter(({ security }) => security!.length > 0);
    for (const operation of operations) {
      const [first] = exampleRequests(contract.document, operation, await fixturesFor(gateway, operation));
      statuses.add((await send(first!, gateway.liveKey)).status);
    }
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 201, 400, 404, 500]);
  });
});
