import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { leastCpuOf, LONGEST_MS } from '../../../test/support/least-cpu';
import type { ApiError } from '../../core/http/lifecycle/api-error';
import { readUpload } from './read-upload';

const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
const NO_FILENAME = { reason: 'the part is not a file, because it has no filename' };
const END = '\r\n--x--\r\n';

/** Ends the body as Node's parser does. */
function end(raw: PassThrough & { complete: boolean }): void {
  raw.complete = true;
  raw.end(END);
}

describe(readUpload.name, () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  /** A request whose body has begun. */
  function uploading(take = buffer, head = HEAD) {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const raw = Object.assign(new PassThrough(), { headers, complete: false, socket: {} });
    raw.write(head);
    const read = readUpload(raw as unknown as IncomingMessage, (file, filename) =>
      take(file).then((bytes) => ({ filename, length: bytes.length })),
    );
    const refused = jest.fn();
    read.catch(refused);
    return { raw, read, refused };
  }

  const TOO_SLOW = { details: { reason: 'the request took too long to arrive' } };
  const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000);
  /** Bytes of one second at 16 KiB/s. */
  const SECOND = Buffer.alloc(16_384);

  it('accepts a file that arrives at 16 KiB/s for nearly ten minutes', async () => {
    const { raw, read } = uploading();
    for (let second = 0; second < 599; second += 1) {
      raw.write(SECOND);
      await seconds(1);
    }
    end(raw);
    expect(await read).toEqual({ filename: 'a.bin', length: 599 * SECOND.length });
  });

  it('rejects a file that is incomplete after ten minutes, even if it arrives steadily', async () => {
    const { raw, read } = uploading();
    for (let second = 0; second < 600; second += 1) {
      raw.write(SECOND);
      await seconds(1);
    }
    await expect(read).rejects.toMatchObject(TOO_SLOW);
  });

  it('rejects a file that arrives slower than 16 KiB/s for ten seconds', async () => {
    const { raw, read, refused } = uploading();
    for (let second = 0; second < 18; second += 1) {
      raw.write(second < 10 ? SECOND : SECOND.subarray(1_000));
      await seconds(1);
    }
    expect(refused).not.toHaveBeenCalled();
    await seconds(2);
    await expect(read).rejects.toMatchObject(TOO_SLOW);
  });

  it('does not blame the client while the gateway writes slowly', async () => {
    const written = Promise.withResolvers<void>();
    const { raw, read } = uploading(async (file) => {
      await written.promise;
      return buffer(file);
    });
    raw.write(Buffer.alloc(1_000_000));
    end(raw);
    await seconds(180);
    written.resolve();
    expect(await read).toEqual({ filename: 'a.bin', length: 1_000_000 });
  });

  describe('with a malformed body', () => {
    const reasonOf = (...pieces: string[]) => reasonAfter(HEAD, ...pieces);
    const reasonAfter = async (head: string, ...pieces: string[]) => {
      const { raw, read } = uploading(buffer, head);
      for (const piece of pieces) {
        raw.write(piece);
        await nextTurn();
      }
      raw.complete = true;
      raw.end();
      return read.then(
        () => 'none',
        (error: unknown) => (error as ApiError).details,
      );
    };
    const part = (disposition: string) => `\r\n--x\r\nContent-Disposition: ${disposition}\r\n\r\n`;

    it.each([
      ['a field', part('form-data; name="kind"') + END, { fields: ['kind'] }],
      ['a text in place of the file', part('form-data; name="file"') + END, NO_FILENAME],
      ['a part without a name', part('form-data') + END, NO_FILENAME],
      ['a second file', part('form-data; name="file"; filename="b"') + END, { reason: 'the body must have one file' }],
      ['nothing after the file', '', { reason: 'the body is not valid multipart/form-data' }],
    ])('names the fault: %s', async (_, text, details) => {
      expect(await reasonOf(text)).toEqual(details);
    });

    const piece = 'x'.repeat(16_384);
    const times = (count: number) => Array.from({ length: count }, () => piece);

    it('reads at most 64 KiB before the first part', async () => {
      expect(await reasonAfter(piece, ...times(2), `\r\n${HEAD}`, END)).toBe('none');
      const reason = 'there are more than 64 KiB before or after the file';
      expect(await reasonAfter(piece, ...times(4), `\r\n${HEAD}`, END)).toEqual({ reason });
    });

    it('reads at most 64 KiB after the file', async () => {
      expect(await reasonOf(END, ...times(4))).toBe('none');
      const reason = 'there are more than 64 KiB before or after the file';
      expect(await reasonOf(END, ...times(8))).toEqual({ reason });
    });
  });
});

describe('a hostile multipart body', () => {
  const DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="a';
  const long = (unit: string, bytes = 16_000) => unit.repeat(bytes / unit.length);

  it.each([
    ['a file name of spaces', `--x\r\n${DISPOSITION}${long(' ')}b"\r\n\r\n`],
    ['a file name of backslashes', `--x\r\n${DISPOSITION}${long('\\')}b"\r\n\r\n`],
    ['a file name of escapes', `--x\r\n${DISPOSITION}${long('%22')}"\r\n\r\n`],
    [
      'a file name in another encoding',
      `--x\r\nContent-Disposition: form-data; filename*=UTF-8''${long('%ff')}\r\n\r\n`,
    ],
    ['parameters without an end', `--x\r\n${DISPOSITION}"${long(';a=')}\r\n\r\n`],
    ['a header of colons', `--x\r\n${long(':')}\r\n\r\n`],
    ['many headers', `--x\r\n${long('a: b\r\n')}\r\n\r\n`],
    ['a folded header', `--x\r\n${DISPOSITION}"${long('\r\n ')}\r\n\r\n`],
    ['beginnings of boundaries', `${HEAD}${long('\r\n--', 60_000)}`],
    ['line breaks', `${HEAD}${long('\r\n', 60_000)}`],
    ['a preamble of hyphens', long('-', 60_000)],
  ])('of %s takes less than 50 ms of CPU', async (_, body) => {
    const upload = async () => {
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      const raw = Object.assign(new PassThrough(), { headers, complete: false, socket: {} });
      const read = readUpload(raw as unknown as IncomingMessage, buffer).catch(() => undefined);
      raw.write(body);
      end(raw);
      await read;
    };
    expect(await leastCpuOf(upload)).toBeLessThan(LONGEST_MS);
  });

  it.each([';', ' ', 'boundary=', '"', 'a=b;'])(
    'with a content type of %j takes less than 50 ms of CPU',
    async (unit) => {
      const headers = { 'content-type': `multipart/form-data;${long(unit, 15_000)}` };
      const upload = async () => {
        const raw = Object.assign(new PassThrough(), { headers, complete: false, socket: {} });
        const read = readUpload(raw as unknown as IncomingMessage, buffer).catch(() => undefined);
        end(raw);
        await read;
      };
      expect(await leastCpuOf(upload)).toBeLessThan(LONGEST_MS);
    },
  );
});
