import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Download, InboundAttachment } from '#platforms';
import type { Fault } from '../fakes/fault-queue';
import type { CasesOf } from './cases';
import type { PlatformFiles } from './harness';
import { type Session, shownBy } from './session';

const BYTES = randomBytes(50_000);

/** Receives one image. @returns the attachment that the adapter passed to the sink */
async function receivedFile(
  session: Session,
): Promise<{ files: PlatformFiles; ref: string; image: InboundAttachment }> {
  const files = session.harness.files!;
  await session.connect();
  files.receive('41', BYTES, 'look');
  await session.sink.until(({ messages }) => messages.length === 1);
  const [image, ...more] = session.sink.messages[0]?.attachments ?? [];
  expect(more).toEqual([]);
  return { files, ref: image!.ref!, image: image! };
}

const download = (session: Session, ref: string, signal = new AbortController().signal) =>
  session.harness.adapter.download!(ref, signal);

/** The bytes, or the error of the stream. */
async function bytesOf(started: Download): Promise<Buffer | Error> {
  if (!started.started) throw new Error(`the download did not start: ${started.message}`);
  return buffer(started.body).catch((error: unknown) => error as Error);
}

export const DOWNLOAD_CASES: CasesOf<'received files' | 'failing downloads'> = {
  'received files'(session) {
    it('describes a file beside the text, and downloads it', async () => {
      const { ref, image } = await receivedFile(session);
      expect(image).toMatchObject({ kind: 'image' });
      const [message] = session.sink.messages;
      expect(message).toMatchObject({ kind: 'image', content: expect.stringMatching(/^\[(photo|image).*\] look$/) });
      const started = await download(session, ref);
      expect(started).toMatchObject({ started: true, sizeBytes: BYTES.length });
      expect(await bytesOf(started)).toEqual(BYTES);
    });

    it('downloads again, and while it is not connected', async () => {
      const { ref } = await receivedFile(session);
      await session.disconnect();
      for (const _ of ['first', 'second']) expect(await bytesOf(await download(session, ref))).toEqual(BYTES);
    });

    it('ends a download when it is aborted', async () => {
      const { ref, files } = await receivedFile(session);
      const ended = new AbortController();
      files.fail({ method: files.operations.download, kind: 'drip' });
      const started = await download(session, ref, ended.signal);
      const bytes = bytesOf(started);
      ended.abort();
      expect(await bytes).toBeInstanceOf(Error);
      expect(await download(session, ref, AbortSignal.abort())).toMatchObject({ started: false, failure: 'later' });
    });
  },

  'failing downloads'(session) {
    const failsWith = async (operation: 'lookUp' | 'download', fault: Fault) => {
      const { ref, files } = await receivedFile(session);
      files.fail({ ...fault, method: files.operations[operation] });
      const failed = await download(session, ref);
      expect(shownBy(failed)).not.toContain(session.harness.secret);
      // The next attempt succeeds.
      expect(await bytesOf(await download(session, ref))).toEqual(BYTES);
      return failed;
    };

    it.each<['lookUp' | 'download', Fault]>([
      ['lookUp', { status: 503 }],
      ['lookUp', { kind: 'reset' }],
      ['lookUp', { status: 200, body: 'no answer of the platform' }],
      ['download', { status: 503, body: '<html>Service Unavailable</html>' }],
      ['download', { kind: 'reset' }],
      ['download', { kind: 'hang' }],
    ])('tries later after a fault of the %s: %j', async (operation, fault) => {
      expect(await failsWith(operation, fault)).toMatchObject({ started: false, failure: 'later' });
    });

    it.each(['lookUp', 'download'] as const)('waits as long as a 429 of the %s asks', async (operation) => {
      const failed = await failsWith(operation, { status: 429, retryAfter: 7, headers: { 'retry-after': '7' } });
      expect(failed).toMatchObject({ started: false, failure: 'later', retryAfterMs: 7_000 });
    });

    it.each(['cut', 'drip'] as const)(
      'ends a stream with an error when the body comes with a fault: %s',
      async (kind) => {
        const { ref, files } = await receivedFile(session);
        files.fail({ method: files.operations.download, kind });
        const error = await bytesOf(await download(session, ref));
        expect(error).toBeInstanceOf(Error);
        expect(shownBy(error)).not.toContain(session.harness.secret);
        expect((error as Error).message).not.toMatch(/\/|\?/);
      },
    );

    it('notices a body that is shorter than the platform told', async () => {
      const { ref, files } = await receivedFile(session);
      if (!files.tellsLength) return;
      files.fail({ method: files.operations.download, kind: 'truncate' });
      expect(await bytesOf(await download(session, ref))).toBeInstanceOf(Error);
    });

    it('takes the bytes whatever type the answer names', async () => {
      const { ref, files } = await receivedFile(session);
      files.fail({ method: files.operations.download, kind: 'lie', headers: { 'content-type': 'text/html' } });
      expect(await bytesOf(await download(session, ref))).toEqual(BYTES);
    });

    it('says that a file has expired', async () => {
      const { ref, files } = await receivedFile(session);
      files.expire(ref);
      expect(await download(session, ref)).toMatchObject({ started: false, failure: 'expired' });
      expect(await download(session, 'never')).toMatchObject({ started: false, failure: 'expired' });
    });
  },
};
