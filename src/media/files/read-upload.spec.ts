import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readUpload } from './read-upload';

const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
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
  function uploading(take = buffer) {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const raw = Object.assign(new PassThrough(), { headers, complete: false, socket: {} });
    raw.write(HEAD);
    const read = readUpload(raw as unknown as IncomingMessage, (file, filename) =>
      take(file).then((bytes) => ({ filename, length: bytes.length })),
    );
    const refused = jest.fn();
    read.catch(refused);
    return { raw, read, refused };
  }

  const TOO_SLOW = { details: { reason: 'the request took too long to arrive' } };
  const minutes = (count: number) => jest.advanceTimersByTimeAsync(count * 60_000);

  it('takes a file that comes slowly but steadily for nearly ten minutes', async () => {
    const { raw, read } = uploading();
    for (let half = 0; half < 19; half += 1) {
      raw.write('x');
      await minutes(0.5);
    }
    end(raw);
    expect(await read).toEqual({ filename: 'a.bin', length: 19 });
  });

  it('refuses a file that is not complete after ten minutes, even if it comes steadily', async () => {
    const { raw, read } = uploading();
    for (let half = 0; half < 20; half += 1) {
      raw.write('x');
      await minutes(0.5);
    }
    await expect(read).rejects.toMatchObject(TOO_SLOW);
  });

  it('refuses a file of which nothing arrived for a minute', async () => {
    const { raw, read, refused } = uploading();
    await minutes(0.9);
    raw.write('x');
    await minutes(0.9);
    expect(refused).not.toHaveBeenCalled();
    await minutes(0.2);
    await expect(read).rejects.toMatchObject(TOO_SLOW);
  });

  it('does not blame the client while the gateway is slow to write', async () => {
    const written = Promise.withResolvers<void>();
    const { raw, read } = uploading(async (file) => {
      await written.promise;
      return buffer(file);
    });
    raw.write(Buffer.alloc(1_000_000));
    end(raw);
    await minutes(3);
    written.resolve();
    expect(await read).toEqual({ filename: 'a.bin', length: 1_000_000 });
  });
});
