import { request } from 'undici';
import { Contract, type Exchange } from '../openapi/contract';
import type { OpenApiDocument } from '../openapi/document';

let contract: Contract | undefined;

/** The document of the gateway under test, the same for all of a spec file. */
export async function contractOf(url: string): Promise<Contract> {
  return (contract ??= contractIn(await fetchDocument(url)));
}

async function fetchDocument(url: string): Promise<string> {
  const { body } = await request(`${url}/docs-json`);
  return body.text();
}

function contractIn(document: string): Contract {
  return new Contract(JSON.parse(document) as OpenApiDocument);
}

/**
 * Fails the test where an answer is not as the OpenAPI document has it: no such operation, status, media type, a field too
 * many or of the wrong kind.
 */
export async function checkAnswer(url: string, exchange: Exchange): Promise<void> {
  // A preflight is the browser's business, and callbacks the platforms'.
  if (exchange.method === 'OPTIONS' || !/^\/(api|health)\b/.test(exchange.path)) return;
  if (!contract) {
    const document = await fetchDocument(url).catch(() => undefined);
    // The gateway has just gone, as in the tests of a crash: the next answer will tell.
    if (document === undefined) return;
    contract = contractIn(document);
  }
  contract.check(exchange);
}
