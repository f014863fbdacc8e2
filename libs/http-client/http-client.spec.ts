import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { HttpClient } from './http-client';
import { TransportError } from './transport-error';

describe(HttpClient.name, () => {
  const sockets = new Set<Socket>();
  let server: Server;
  let host: string;
  /** A request has arrived. */
  let received: () => void;

  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      socket.on('data', () => received());
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => (received = () => undefined));
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** Each client has its own connections. */
  const failing = (url: string, deadlineMs: number, signal?: AbortSignal) =>
    new HttpClient().exchange({ method: 'POST', url, body: 'x', deadlineMs, signal }).then(
      () => Promise.reject(new Error('it answered')),
      (error: unknown) => error as TransportError,
    );

  it('reports that nothing was written when TLS hangs', async () => {
    const late = await failing(`https://${host}`, 100);
    expect(late).toMatchObject({ written: false, message: `${host}: no connection within 100 ms` });
    const ended = new AbortController();
    received = () => ended.abort();
    expect(await failing(`https://${host}`, 60_000, ended.signal)).toMatchObject({ written: false });
  });

  it('reports that nothing was written to a closed port, or after the caller aborted', async () => {
    expect(await failing('http://127.0.0.1:1', 60_000)).toMatchObject({ written: false });
    expect(await failing(`http://${host}`, 60_000, AbortSignal.abort())).toMatchObject({ written: false });
  });

  it('writes nothing if `mayWrite` returns false when the connection opens', async () => {
    const arrived = jest.fn();
    received = arrived;
    const call = {
      method: 'POST',
      url: `http://${host}`,
      body: 'x',
      deadlineMs: 60_000,
      mayWrite: () => false,
    } as const;
    await expect(new HttpClient().exchange(call)).rejects.toMatchObject({ written: false });
    expect(arrived).not.toHaveBeenCalled();
  });

  it('reports a request as written once it has begun: timed out, aborted or cut off', async () => {
    const late = await failing(`http://${host}`, 1_000);
    expect(late).toMatchObject({ written: true, message: `${host}: no answer within 1000 ms` });
    const ended = new AbortController();
    received = () => ended.abort();
    expect(await failing(`http://${host}`, 60_000, ended.signal)).toMatchObject({ written: true });
    received = () => {
      for (const socket of sockets) socket.destroy();
    };
    expect(await failing(`http://${host}`, 60_000)).toMatchObject({ written: true });
  });
});
