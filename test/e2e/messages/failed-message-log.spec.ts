import { Logger } from '@nestjs/common';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

describe('A message that fails', () => {
  const gateway = useGateway();

  it('logs one line at info with its public id, and no personal data', async () => {
    const log = jest.spyOn(Logger.prototype, 'log');
    const { body } = await gateway.api<{ message_id: string }>(
      'POST',
      '/messages/send',
      { platform: 'telegram', recipient: 'sandbox_blocked', message: 'Hello' },
      { key: gateway.testKey },
    );
    const { message_id } = body.data;
    await eventually('it is logged', () => {
      const lines = log.mock.calls.filter((line) => JSON.stringify(line).includes(message_id));
      expect(lines).toEqual([
        [
          expect.objectContaining({ message_id, environment: 'test', code: 'blocked_by_recipient' }),
          'A message to telegram failed: blocked_by_recipient',
        ],
      ]);
      expect(JSON.stringify(lines)).not.toContain('sandbox_blocked');
    });
    log.mockRestore();
  });
});
