import { createSocket, type Socket } from 'node:dgram';
import { promises, type LookupAddress } from 'node:dns';
import { NameResolver } from './name-resolver';

/** Types of records (RFC 1035, RFC 3596). */
const A = 1;
const AAAA = 28;
/** Response codes of a name server (RFC 1035, 4.1.1). */
const SERVFAIL = 2;
const NXDOMAIN = 3;

describe(NameResolver.name, () => {
  let server: Socket;
  let asked: string[];
  let resolver: NameResolver;

  beforeEach(async () => {
    asked = [];
    server = createSocket('udp4');
    server.on('message', (question, { port, address }) => {
      const answer = answerTo(question, asked);
      if (answer) server.send(answer, port, address);
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    resolver = new NameResolver([`127.0.0.1:${server.address().port}`]);
  });
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())));

  const find = (name: string, family = 0) =>
    new Promise<LookupAddress[]>((resolve, reject) =>
      resolver.resolve(name, { all: true, family }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
    );

  const FOUR = { address: '8.8.4.4', family: 4 };
  const SIX = { address: '2001:4860::8844', family: 6 };

  it('merges IPv4 and IPv6 addresses, and accepts a name with only one family', async () => {
    expect(await find('both.test')).toEqual([FOUR, SIX]);
    expect(await find('both.test', 4)).toEqual([FOUR]);
    expect(await find('both.test', 6)).toEqual([SIX]);
    expect(await find('four.test')).toEqual([FOUR]);
  });

  it('resolves other names while a name server does not respond', async () => {
    let settled = 0;
    const silent = Array.from({ length: 60 }, (_, index) => find(`${index}.silent.test`).finally(() => settled++));
    const failures = Promise.allSettled(silent);
    expect(await find('four.test')).toEqual([FOUR]);
    // Other code resolves names by the system's threads.
    expect(await promises.lookup('localhost')).toBeDefined();
    expect(settled).toBe(0);
    for (const failure of await failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: expect.objectContaining({ code: 'ETIMEOUT' }) });
    }
  }, 20_000);

  it('asks the system for names without a dot, and for those unknown to DNS', async () => {
    expect((await find('localhost')).length).toBeGreaterThan(0);
    expect(asked).toEqual([]);
    await expect(find('missing.invalid')).rejects.toMatchObject({ syscall: 'getaddrinfo' });
    expect(asked).toContain('missing.invalid');
  });

  it('does not ask the system after a name server error', async () => {
    await expect(find('lost.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });
});

/** @returns the answer to a question (RFC 1035, 4); undefined for an unknown name */
function answerTo(question: Buffer, asked: string[]): Buffer | undefined {
  const labels: string[] = [];
  let end = 12;
  for (let length = question[end]!; length > 0; length = question[end]!) {
    labels.push(question.toString('latin1', end + 1, end + 1 + length));
    end += 1 + length;
  }
  const name = labels.join('.');
  asked.push(name);
  if (name.endsWith('silent.test')) return undefined;
  const type = question.readUInt16BE(end + 1);
  const data =
    type === A ? '08080404' : type === AAAA && name === 'both.test' ? '20014860000000000000000000008844' : '';
  const code = name === 'lost.test' ? SERVFAIL : name.endsWith('.invalid') ? NXDOMAIN : 0;
  const found = code === 0 && data !== '';
  const header = Buffer.from([question[0]!, question[1]!, 0x81, 0x80 | code, 0, 1, 0, found ? 1 : 0, 0, 0, 0, 0]);
  const section = question.subarray(12, end + 5);
  if (!found) return Buffer.concat([header, section]);
  const bytes = Buffer.from(data, 'hex');
  // The name is a pointer to the question's, class IN, for one second.
  const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 1, 0, bytes.length]);
  return Buffer.concat([header, section, record, bytes]);
}
