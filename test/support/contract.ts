import { request } from 'undici';
import { Contract, type Exchange } from '../openapi/contract';
import type { OpenApiDocument } from '../openapi/document';

let contract: Contract | undefined;

/** The OpenAPI contract of the gateway under test; fetched once per spec file. */
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
 * Throws if an answer breaks the OpenAPI document: an unknown operation, status, media type or field, or a field of the wrong
 * type.
 */
export async function checkAnswer(url: string, exchange: Exchange): Promise<void> {
  // The document does not describe CORS preflights and the platforms' callbacks.
  if (exchange.method === 'OPTIONS' || !/^\/(api|health)\b/.test(exchange.path)) return;
  if (!contract) {
    const document = await fetchDocument(url).catch(() => undefined);
    // The gateway has just ended, as crash tests have it. The next answer is checked.
    if (document === undefined) return;
    contract = contractIn(document);
  }
  contract.check(exchange);
}
