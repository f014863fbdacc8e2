import { AnthropicFake } from '../../fakes/anthropic.fake';
import { textOf, type MessagesRequest } from '../../fakes/anthropic-types';
import { TelegramFake } from '../../fakes/telegram.fake';
import { png } from '../../support/png';
import { GatewayProcess } from '../../support/process';

/** Longer than the lease that the dead process held. */
const RECOVERY_MS = 90_000;

const filesOf = ({ messages }: MessagesRequest) =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image'),
  );

describe('A reply whose process died', () => {
  it('is retried without files until it is answered, also after a provider failure; the next one has them', async () => {
    const telegram = await new TelegramFake().start();
    const anthropic = await new AnthropicFake().start();
    let gateway = await GatewayProcess.start({ telegram, anthropic });
    const asked = () => anthropic.requestsOf('messages').map(({ body }) => body);

    anthropic.hold();
    const bytes = png(10, 10, 1_000);
    telegram.receiveContent(1, {
      photo: [
        { file_id: telegram.addFile(bytes), file_unique_id: '1', file_size: bytes.length, width: 10, height: 10 },
      ],
      caption: 'Look at this',
    });
    await anthropic.waitForInFlight(1, RECOVERY_MS);
    expect(asked().map((request) => filesOf(request).length)).toEqual([1]);

    await gateway.kill();
    anthropic.release();
    // Longer than a call lasts: the reply itself is tried again, after 28 seconds.
    anthropic.fail({ method: 'messages', status: 529, retryAfter: 100 });
    gateway = await gateway.restart();
    await telegram.waitForSent(1, RECOVERY_MS);
    const again = asked().slice(1);
    // The one that the provider failed, and the one that it answered.
    expect(again.map((request) => filesOf(request).length)).toEqual([0, 0]);
    for (const { messages } of again)
      expect(textOf(messages.at(-1)!.content)).toContain('[a file that you cannot read: image (image/png)]');

    telegram.receiveText({ chatId: 1, text: 'And now?' });
    await telegram.waitForSent(2, RECOVERY_MS);
    expect(filesOf(asked().at(-1)!)).toHaveLength(1);
  }, 180_000);
});
