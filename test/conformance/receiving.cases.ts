import type { CasesOf } from './cases';
import { CHOICE } from './sending.cases';

export const RECEIVING_CASES: CasesOf<'receive' | 'dedupe' | 'order' | 'taps'> = {
  receive(session) {
    it('hands over a message with its chat, sender and time', async () => {
      await session.connect();
      await session.harness.receive({ chatId: '41', text: 'Hello there' });
      await session.sink.until(({ messages }) => messages.length === 1);
      const [message] = session.sink.messages;
      expect(message).toMatchObject({ content: 'Hello there', kind: 'text', expectsReply: true });
      expect(message?.participant.id).toBe('41');
      expect(message?.sender.id).toBe('41');
      expect(Math.abs(Date.now() - message!.sentAt.getTime())).toBeLessThan(10_000);
    });

    it('acknowledges a message only when it is stored, and asks for it again until then', async () => {
      session.sink.refuses = () => session.sink.attempts.length < 3;
      await session.connect();
      await session.harness.receive({ chatId: '41', text: 'Keep me' });
      await session.sink.until(({ attempts }) => attempts.length === 2);
      expect(session.harness.unconfirmed()).toBe(1);
      await session.harness.allConfirmed();
      expect(session.sink.messages.map(({ content }) => content)).toEqual(['Keep me']);
    });
  },

  taps(session) {
    it('hands a tap over as a message of the person who chose, and acknowledges it', async () => {
      await session.connect();
      const [sent] = await session.offer('Well?', CHOICE);
      const { id, title } = CHOICE.options[1]!;
      await session.harness.tap(title);
      await session.sink.until(({ messages }) => messages.length === 1);
      const [message] = session.sink.messages;
      const platformMessageId = sent?.accepted && sent.platformMessageId;
      expect(message).toMatchObject({ content: title, interactiveReply: { id, title, platformMessageId } });
      expect(message?.participant.id).toBe(session.harness.recipient);
    });

    it('gives two taps different ids', async () => {
      await session.connect();
      await session.offer('Well?', CHOICE);
      for (const { title } of CHOICE.options) await session.harness.tap(title);
      await session.sink.until(({ messages }) => messages.length === CHOICE.options.length);
      const ids = session.sink.messages.map(({ platformMessageId }) => platformMessageId);
      expect(new Set(ids).size).toBe(CHOICE.options.length);
    });
  },

  dedupe(session) {
    it('gives a message that it hands over twice the same id', async () => {
      session.sink.refuses = () => session.sink.attempts.length < 2;
      await session.connect();
      await session.harness.receive({ chatId: '41', text: 'Twice' });
      await session.sink.until(({ messages }) => messages.length === 1);
      const ids = session.sink.attempts.map(({ platformMessageId }) => platformMessageId);
      expect(new Set(ids).size).toBe(1);
      expect(ids.length).toBeGreaterThan(1);
    });

    it('gives two messages that say the same different ids', async () => {
      await session.connect();
      for (const chatId of ['41', '41', '42']) await session.harness.receive({ chatId, text: 'Hello' });
      await session.harness.allConfirmed();
      expect(new Set(session.sink.messages.map(({ platformMessageId }) => platformMessageId)).size).toBe(3);
    });
  },

  order(session) {
    it('skips nothing and keeps the order of a chat when one message cannot be stored', async () => {
      let failures = 2;
      session.sink.refuses = ({ content }) => content === 'one' && failures-- > 0;
      await session.connect();
      for (const text of ['one', 'two', 'three']) await session.harness.receive({ chatId: '41', text });
      await session.harness.receive({ chatId: '42', text: 'other chat' });
      await session.harness.allConfirmed();
      const stored = session.sink.messages.filter(({ participant }) => participant.id === '41');
      expect(stored.map(({ content }) => content)).toEqual(['one', 'two', 'three']);
      expect(session.sink.messages.map(({ content }) => content)).toContain('other chat');
    });
  },
};
