import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessagingGateway } from '.';

describe('the README of the client', () => {
  it('lists every method of every resource', () => {
    const text = readFileSync(join(__dirname, 'README.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)` +\| (.*) \|$/gm)].map(([, property, methods]) => [
      property,
      methods!.match(/\w+/g)!.sort(),
    ]);
    const client = new MessagingGateway({ baseUrl: 'http://127.0.0.1', apiKey: 'service_sk_test_x' });
    const resources = Object.entries(client).map(([property, resource]) => [
      property,
      Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
        .filter((name) => name !== 'constructor')
        .sort(),
    ]);
    const inOrder = (entries: unknown[]) => Object.fromEntries(entries as [string, string[]][]);
    expect(inOrder(rows.filter(([property]) => String(property) in client))).toEqual(inOrder(resources));
  });
});
