import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { OutboundFile, PartOutcome, SendPlan } from '#platforms';
import type { CasesOf } from './cases';
import { PLAIN, type Session } from './session';

const MIB = 1_024 * 1_024;
const BYTES = randomBytes(1_000);

export function fileOf(more: Partial<OutboundFile> = {}, bytes = BYTES): OutboundFile {
  return {
    kind: 'image',
    mimeType: 'image/png',
    filename: 'a.png',
    sizeBytes: bytes.length,
    open: () => Readable.from([bytes]),
    ...more,
  };
}

const PDF = fileOf({ kind: 'document', mimeType: 'application/pdf', filename: 'bill.pdf' });

async function planOf(session: Session, text: string, files: OutboundFile[]): Promise<SendPlan> {
  const { adapter, recipient } = session.harness;
  return adapter.plan!({ recipient, text, files, options: PLAIN });
}

async function send(session: Session, text: string, files: OutboundFile[]): Promise<PartOutcome[]> {
  const { adapter, recipient } = session.harness;
  const plan = await planOf(session, text, files);
  if (!('parts' in plan)) throw new Error(plan.refusal);
  const request = { messageId: session.nextMessageId(), environment: 'live', recipient, options: PLAIN } as const;
  const outcomes: PartOutcome[] = [];
  for (const part of plan.parts) outcomes.push(await adapter.sendPart(request, part, new AbortController().signal));
  return outcomes;
}

/** The texts and files that reached the platform. */
const received = (session: Session) => session.harness.sent().map(({ text, files }) => ({ text, files }));

export const FILE_SENDING_CASES: CasesOf<'send files' | 'failing uploads'> = {
  'send files'(session) {
    it('sends an image with its caption', async () => {
      expect(await send(session, 'look', [fileOf()])).toEqual([expect.objectContaining({ accepted: true })]);
      const [image] = received(session);
      expect(image).toMatchObject({ text: 'look', files: [{ filename: 'a.png', type: 'image/png', bytes: BYTES }] });
    });

    it('sends a file without a text', async () => {
      await send(session, '', [PDF]);
      expect(received(session)).toMatchObject([{ text: '', files: [{ filename: 'bill.pdf', bytes: BYTES }] }]);
    });

    it('sends many files of several kinds, each once, and the text once', async () => {
      const files = [...'abcdefgh'].map((name) => fileOf({ filename: `${name}.png` }));
      const outcomes = await send(session, 'all of them', [PDF, ...files]);
      expect(outcomes.every(({ accepted }) => accepted)).toBe(true);
      const names = received(session).flatMap(({ files: sent }) => sent.map(({ filename }) => filename));
      expect(names.toSorted()).toEqual(['bill.pdf', ...files.map(({ filename }) => filename)].toSorted());
      expect(received(session).filter(({ text }) => text === 'all of them')).toHaveLength(1);
    });

    it('loses nothing of a text that is too long for a caption', async () => {
      const text = 'word '.repeat(1_500).trim();
      await send(session, text, [fileOf()]);
      const sent = received(session);
      expect(sent[0]?.files).toHaveLength(1);
      expect(sent.map((part) => part.text.trim()).join(' ')).toBe(text);
    });

    it('plans the same parts again', async () => {
      const plans = await Promise.all([1, 2].map(() => planOf(session, 'x'.repeat(9_000), [fileOf(), PDF, fileOf()])));
      expect(JSON.stringify(plans[0])).toBe(JSON.stringify(plans[1]));
    });

    it('says before it sends anything that a file is too large', async () => {
      const huge = fileOf({ filename: 'film.mp4', kind: 'video', mimeType: 'video/mp4', sizeBytes: 101 * MIB });
      expect(await planOf(session, '', [huge])).toEqual({
        refusal: expect.stringMatching(/^film\.mp4: .*up to \d+ Mi?B/),
      });
    });
  },

  'failing uploads'(session) {
    it('sent nothing, and says so, if a file cannot be read or has another size', async () => {
      const unreadable = () => new Readable({ read() {} }).destroy(new Error('gone'));
      for (const file of [fileOf({ open: unreadable }), fileOf({ sizeBytes: BYTES.length + 1 })]) {
        const [outcome] = await send(session, 'look', [file]);
        expect(outcome).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable' } });
      }
      expect(session.harness.sent()).toEqual([]);
    });

    it('sends after an upload that broke off', async () => {
      const large = randomBytes(200_000);
      let opened = 0;
      const breaking = fileOf({
        sizeBytes: large.length,
        open: () => (opened++ === 0 ? failingAfter(large.subarray(0, 100_000)) : Readable.from([large])),
      });
      const [first] = await send(session, 'look', [breaking]);
      expect(first).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable' } });
      const [second] = await send(session, 'look', [breaking]);
      expect(second).toMatchObject({ accepted: true });
      expect(received(session)).toMatchObject([{ files: [{ bytes: large }] }]);
    });

    it('asks whether it may still write', async () => {
      const { adapter, recipient } = session.harness;
      if (adapter.capabilities.deduplicatesSends) return;
      const request = {
        messageId: 'msg_1',
        environment: 'live',
        recipient,
        options: PLAIN,
        mayWrite: () => false,
      } as const;
      const part = { index: 0, text: '', files: [fileOf()] };
      const outcome = await adapter.sendPart(request, part, new AbortController().signal);
      expect(outcome).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable' } });
      expect(session.harness.sent()).toEqual([]);
    });
  },
};

function failingAfter(bytes: Buffer): Readable {
  return Readable.from(
    (function* () {
      yield bytes;
      throw new Error('the storage failed');
    })(),
  );
}
