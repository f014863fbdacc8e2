import type { CasesOf } from './cases';
import type { Interactive } from '#platforms';
import { PLAIN } from './session';

const filled = (word: string, length: number) => word.padEnd(length, '.');

/** Options at the limits of WhatsApp, the strictest platform: https://developers.facebook.com/docs/whatsapp/cloud-api/messages */
export const CHOICE: Interactive = {
  type: 'choice',
  options: ['yes', 'no', 'later'].map((id) => ({ id, title: filled(id, 20) })),
};
const LIST: Interactive = {
  type: 'list',
  button: filled('Times', 20),
  options: Array.from({ length: 10 }, (_, row) => ({
    id: filled(`row-${row}`, 200),
    title: filled(`Row ${row}`, 24),
    description: filled('free', 72),
  })),
};
const LONGEST = filled('Well?', 1_024);

export const SENDING_CASES: CasesOf<
  'send' | 'split' | 'format' | 'silent' | 'reply' | 'options' | 'rejected markup' | 'typing'
> = {
  send(session) {
    it('sends a text and gives each part an id of its own', async () => {
      const { adapter } = session.harness;
      const words = 'word '.repeat(adapter.capabilities.maxTextLength / 3);
      const outcomes = await session.send(words);
      expect(outcomes.length).toBeGreaterThan(1);
      const ids = outcomes.map((outcome) => outcome.accepted && outcome.platformMessageId);
      expect(new Set(ids).size).toBe(outcomes.length);
      expect(ids).not.toContain(false);
    });

    it('writes nothing when it was called off before', async () => {
      const { adapter, recipient } = session.harness;
      const request = { messageId: 'msg_1', environment: 'live', recipient, options: PLAIN } as const;
      await adapter.sendPart(request, { index: 0, text: 'No' }, AbortSignal.abort());
      expect(session.harness.sent()).toEqual([]);
    });
  },

  split(session) {
    it('splits at its limit, in order, and keeps short texts whole', () => {
      const { adapter } = session.harness;
      const { maxTextLength } = adapter.capabilities;
      const parts = adapter.split('x'.repeat(maxTextLength * 2 + 1), PLAIN);
      expect(parts.map(({ index, text }) => [index, text.length])).toEqual([
        [0, maxTextLength],
        [1, maxTextLength],
        [2, 1],
      ]);
      expect(adapter.split('short', PLAIN)).toEqual([{ index: 0, text: 'short' }]);
    });
  },

  format(session) {
    it('sends a plain text as it is, to the recipient', async () => {
      await session.send('a < b & **c**');
      expect(session.harness.sent()).toEqual([
        expect.objectContaining({
          recipient: session.harness.recipient,
          text: 'a < b & **c**',
          formatted: false,
          silent: false,
          repliesTo: undefined,
        }),
      ]);
    });

    it('renders markdown', async () => {
      await session.send('**bold** text', { parseMode: 'markdown' });
      expect(session.harness.sent()).toEqual([expect.objectContaining({ text: 'bold text', formatted: true })]);
    });

    it('renders HTML', async () => {
      await session.send('<b>bold</b> text', { parseMode: 'html' });
      expect(session.harness.sent()).toEqual([expect.objectContaining({ text: 'bold text', formatted: true })]);
    });
  },

  silent(session) {
    it('sends every part silently when asked to', async () => {
      const long = 'x'.repeat(session.harness.adapter.capabilities.maxTextLength + 1);
      await session.send(long, { disableNotification: true });
      expect(session.harness.sent().map(({ silent }) => silent)).toEqual([true, true]);
    });
  },

  reply(session) {
    it('sends as a reply, with the first part only', async () => {
      const [first] = await session.send('Question');
      const replyTo = first?.accepted ? first.platformMessageId : '';
      const long = 'x'.repeat(session.harness.adapter.capabilities.maxTextLength + 1);
      await session.send(long, { replyTo });
      const [, ...parts] = session.harness.sent();
      expect(parts.map(({ repliesTo }) => repliesTo)).toEqual([replyTo, undefined]);
    });

    it('sends all the same when the message replied to is gone', async () => {
      const [outcome] = await session.send('Answer', { replyTo: `${session.harness.recipient}:987654` });
      expect(outcome?.accepted).toBe(true);
    });
  },

  options(session) {
    it.each([CHOICE, LIST])('shows a $type at its limits, with the whole text', async (interactive) => {
      const outcomes = await session.offer(LONGEST, interactive);
      expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ accepted: true }) as unknown));
      expect(session.harness.options()).toEqual(interactive.options.map(({ title }) => title));
      const sent = session.harness.sent().map(({ text }) => text);
      expect(sent.join('\n')).toContain(LONGEST);
    });
  },

  'rejected markup'(session) {
    it('sends the plain text if the platform rejects the markup', async () => {
      session.harness.rejectNextMarkup();
      await session.send('**bold** text', { parseMode: 'markdown' });
      const sent = session.harness.sent();
      expect(sent).toEqual([expect.objectContaining({ text: '**bold** text', formatted: false })]);
    });
  },

  typing(session) {
    it('shows that an answer is being written, and never fails at it', async () => {
      const { adapter, recipient } = session.harness;
      await expect(adapter.showTyping(recipient, undefined)).resolves.toBeUndefined();
      await session.harness.goDown();
      await expect(adapter.showTyping(recipient, undefined)).resolves.toBeUndefined();
    });
  },
};
