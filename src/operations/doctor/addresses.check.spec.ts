import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import type { DoctorCheck } from '#contracts';
import { makeCertificates } from '../../../test/fakes/hostile-receiver-certificates';
import { loadConfiguration } from '../../core/config/load-configuration';
import { PortCheck } from './port.check';
import { StorageCheck } from './storage.check';

async function linesOf(check: DoctorCheck): Promise<string[]> {
  const found = await check.check(AbortSignal.timeout(20_000));
  return found.map(({ name, message }) => `${name}: ${message}`);
}

const servers: Server[] = [];
async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
const http = (answer: RequestListener) => listening(createServer(answer));
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe(PortCheck.name, () => {
  const check = (port: number, env: NodeJS.ProcessEnv = {}) =>
    linesOf(new PortCheck(loadConfiguration({ PORT: String(port), ...env }).http));

  it('accepts a free port, and one at which a gateway answers', async () => {
    expect(await check(9)).toEqual(['port: port 9 is free']);
    expect(await check(0)).toEqual(['port: the start chooses a free port']);
    const port = await http((_, response) => response.setHeader('X-Request-Id', 'req_01').end());
    expect(await check(port)).toEqual([`port: a gateway answers at port ${port}`]);
    expect(await check(port, { HOST: '0.0.0.0' })).toEqual([`port: a gateway answers at port ${port}`]);
  });

  it('reports a gateway that is not ready', async () => {
    const asked: string[] = [];
    const port = await http(({ url }, response) => {
      asked.push(url!);
      response.setHeader('X-Request-Id', 'req_01').writeHead(503).end();
    });
    expect(await check(port)).toEqual([`port.not-ready: The gateway at port ${port} is not ready`]);
    expect(asked).toEqual(['/health/ready']);
  });

  it("accepts a gateway with HTTPS that the doctor's configuration lacks", async () => {
    const { good } = await makeCertificates();
    const port = await listening(
      createHttps({ key: good.key, cert: good.cert }, (_, response) =>
        response.setHeader('X-Request-Id', 'req_01').end(),
      ),
    );
    expect(await check(port)).toEqual([`port: a gateway answers at port ${port}`]);
  });

  it('reports another program at the port, whether it speaks HTTP or not', async () => {
    const web = await http((_, response) => response.end('It works!'));
    expect(await check(web)).toEqual([`port.taken: At 127.0.0.1, port ${web}, another program answers`]);
    const other = await listening(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')));
    expect(await check(other)).toEqual([
      expect.stringMatching(/^port\.taken: At 127\.0\.0\.1, port \d+, another program fails to answer \(/),
    ]);
  });
});

describe(StorageCheck.name, () => {
  const check = (port: number, timeoutMs?: number) =>
    linesOf(new StorageCheck(`http://KEY:hunter2@127.0.0.1:${port}/backups/gateway`, timeoutMs));
  const refusal = (code: string, status: number): RequestListener => {
    return (_, response) => {
      response.writeHead(status, { 'Content-Type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Refused: ${code}</Message></Error>`);
    };
  };

  it('accepts a storage that responds, and lists one object below the prefix', async () => {
    const asked: string[] = [];
    const port = await http((request, response) => {
      asked.push(request.url!);
      response.end('<?xml version="1.0"?><ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>');
    });
    expect(await check(port)).toEqual([`backups: the storage at 127.0.0.1:${port} answers`]);
    expect(asked).toEqual(['/backups/?list-type=2&max-keys=1&prefix=gateway%2F']);
    const writing = await http(refusal('AccessDenied', 403));
    expect(await check(writing)).toEqual([`backups: 127.0.0.1:${writing} answers, and lists no objects`]);
  });

  it('reports a storage that rejects the key or the bucket', async () => {
    for (const [code, status] of [
      ['InvalidAccessKeyId', 403],
      ['NoSuchBucket', 404],
    ] as const) {
      const port = await http(refusal(code, status));
      expect(await check(port)).toEqual([`backups.storage: 127.0.0.1:${port}: Refused: ${code}`]);
    }
  });

  it('reports a storage that does not respond', async () => {
    expect(await check(9)).toEqual(['backups.storage: 127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9']);
    const port = await http(() => undefined);
    expect(await check(port, 100)).toEqual([`backups.storage: 127.0.0.1:${port}: no answer within 0.1 s`]);
  });
});
