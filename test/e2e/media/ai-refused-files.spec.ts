import { AnthropicFake } from '../../fakes/anthropic.fake';
import { errorBody } from '../../fakes/anthropic-errors';
import { textOf, type MessagesRequest } from '../../fakes/anthropic-types';
import { TelegramFake } from '../../fakes/telegram.fake';
import { useGateway } from '../../support/gateway';
import { png } from '../../support/png';

const anthropic = new AnthropicFake();
const telegram = new TelegramFake();
const gateway = useGateway({ telegram, anthropic });
let chats = 600;

const refuse = (message: string) => anthropic.fail({ method: 'messages', status: 400, body: errorBody(400, message) });

/** A person sends something and is answered. @returns the requests that the provider got for it */
async function answered(send: () => void): Promise<MessagesRequest[]> {
  const before = anthropic.requestsOf('messages').length;
  const sent = telegram.sent.length;
  send();
  await telegram.waitForSent(sent + 1);
  return anthropic
    .requestsOf('messages')
    .slice(before)
    .map(({ body }) => body);
}

const sendFile = (chat: number, bytes: Buffer, name: string) =>
  telegram.receiveContent(chat, {
    document: { file_id: telegram.addFile(bytes), file_unique_id: name, file_size: bytes.length, file_name: name },
    caption: 'see this chat',
  });
const write = (chatId: number, text: string) => () => telegram.receiveText({ chatId, text });

const filesOf = ({ messages }: MessagesRequest) =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text').map(({ type }) => type),
  );
const shown = ({ messages }: MessagesRequest) => messages.map(({ content }) => textOf(content)).join('\n');
const health = async () => (await gateway.api<{ status: string }>('GET', '/ai/status')).body.data.status;

describe('A picture above 8,000 pixels a side', () => {
  it('is only named to the model, and its person is answered', async () => {
    const [request, ...more] = await answered(() => sendFile((chats += 1), png(1_080, 12_000, 48_000), 'chat.png'));
    expect(more).toEqual([]);
    expect(filesOf(request!)).toEqual([]);
    expect(shown(request!)).toContain('[a file that you cannot read: chat.png (image/png)]');
  });
});

describe('A file that the provider refuses', () => {
  it.each([
    [
      'a picture',
      png(1_080, 1_200, 48_000),
      'image',
      'messages.0.content.0.image.source.base64.data: Could not process image',
    ],
    [
      'a PDF',
      Buffer.from('%PDF-1.4\n'),
      'document',
      'messages.0.content.0.pdf.source.base64.data: The PDF specified was not valid.',
    ],
  ])('is named instead, also in later calls: %s', async (_, bytes, type, message) => {
    const chat = (chats += 1);
    refuse(message);
    const requests = await answered(() => sendFile(chat, bytes, 'damaged'));
    expect(requests.map(filesOf)).toEqual([[type], []]);
    expect(shown(requests[1]!)).toContain('[a file that you cannot read: damaged');
    const later = await answered(write(chat, 'ok forget it. When do you open?'));
    expect(later.map(filesOf)).toEqual([[]]);
    expect(shown(later[0]!)).toContain('[a file that you cannot read: damaged');
  });

  it('is the one in the error; the others are sent again with the next message', async () => {
    const chat = (chats += 1);
    await answered(() => sendFile(chat, png(10, 10, 1_000), 'first.png'));
    refuse('messages.2.content.0.image.source.base64.data: Could not process image');
    const requests = await answered(() => sendFile(chat, png(10, 10, 1_001), 'second.png'));
    expect(requests.map(filesOf)).toEqual([['image', 'image'], []]);
    const [later] = await answered(write(chat, 'And now?'));
    expect(filesOf(later!)).toEqual(['image']);
    expect(shown(later!)).toContain('cannot read: second.png');
  });

  it('is not marked unreadable by a limit for all files together', async () => {
    const chat = (chats += 1);
    await answered(() => sendFile(chat, png(10, 10, 1_000), 'first.png'));
    refuse('messages.2.content.0.image.source.base64.data: too many images and documents: 101 > 100');
    const requests = await answered(() => sendFile(chat, png(10, 10, 1_001), 'second.png'));
    expect(requests.map(filesOf)).toEqual([['image', 'image'], []]);
    expect((await answered(write(chat, 'And now?'))).map(filesOf)).toEqual([['image', 'image']]);
  });

  it('does not affect the health of the provider', async () => {
    for (let times = 0; times < 4; times += 1) {
      refuse('messages.0.content.0.image.source.base64.data: Could not process image');
      await answered(() => sendFile((chats += 1), png(10, 10, 1_000), 'damaged.png'));
    }
    expect(await health()).toBe('available');
    expect(await gateway.sql(`SELECT FROM events WHERE type = 'ai.error'`)).toEqual([]);
  });
});

describe("A prompt above the model's limit", () => {
  const TOO_LONG = 'prompt is too long: 212000 tokens > 200000 maximum';

  it('is shortened by half: the oldest messages are removed', async () => {
    const chat = (chats += 1);
    for (let index = 0; index < 4; index += 1) await answered(write(chat, `Question ${index}`));
    refuse(TOO_LONG);
    const [whole, half] = await answered(write(chat, 'The last question'));
    expect(whole!.messages).toHaveLength(9);
    expect(half!.messages.length).toBeLessThanOrEqual(5);
    expect(shown(half!)).toContain('The last question');
    expect(shown(half!)).not.toContain('Question 0');
  });

  it('first loses its files, and nothing else if they are half of it', async () => {
    const chat = (chats += 1);
    await answered(write(chat, 'Question 0'));
    refuse(TOO_LONG);
    const [whole, half] = await answered(() => sendFile(chat, png(1_000, 1_000, 5_000), 'photo.png'));
    expect([whole!, half!].map(filesOf)).toEqual([['image'], []]);
    expect(half!.messages).toHaveLength(whole!.messages.length);
    expect(shown(half!)).toContain('[a file that you cannot read: photo.png (image/png)]');
    // The file is readable: the next call has it again.
    expect((await answered(write(chat, 'And now?'))).map(filesOf)).toEqual([['image']]);
  });

  it('that is refused again fails, and does not affect the health of the provider', async () => {
    const generate = () =>
      gateway.api('POST', '/ai/generate', { message: 'x '.repeat(300), context: [{ role: 'user', content: 'y' }] });
    for (let times = 0; times < 3; times += 1) {
      const before = anthropic.requestsOf('messages').length;
      refuse(TOO_LONG);
      refuse(TOO_LONG);
      const { body } = await generate();
      expect(body.error).toMatchObject({ code: 'AI_PROVIDER_ERROR', details: { type: 'invalid_request' } });
      expect(anthropic.requestsOf('messages')).toHaveLength(before + 2);
    }
    expect(await health()).toBe('available');
  });
});
