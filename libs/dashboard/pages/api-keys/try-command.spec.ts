import type { Scope } from '../../session/session';
import { tryCommand } from './try-command';

const commandOf = (...scopes: Scope[]) => tryCommand({ key: 'service_sk_test_x', scopes }, 'https://gateway.test');

describe(tryCommand, () => {
  it.each([
    ['*', '/status'],
    ['read:status', '/status'],
    ['read:conversations', '/conversations'],
    ['read:messages', '/messages'],
    ['admin:settings', '/admin/settings'],
    ['admin:users', '/admin/api-keys'],
  ] as const)('with the scope %s is a request that reads %s', (scope, path) => {
    expect(commandOf(scope)).toBe(
      `curl -s https://gateway.test/api/v1${path} -H 'Authorization: Bearer service_sk_test_x'`,
    );
  });

  it('with only write:messages is a request that sends a message', () => {
    expect(commandOf('write:messages')).toContain('/messages/send');
    expect(commandOf('write:messages')).toContain('"message":"Hello"');
  });
});
