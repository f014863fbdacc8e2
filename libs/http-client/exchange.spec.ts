import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { Agent, interceptors } from 'undici';
import { exchange } from './exchange';

/** Longer than one packet. */
const LONG = 'ä'.repeat(200_000);

describe(exchange.name, () => {
  const agent = new Agent();
  let server: Server;
  let url: string;
  /** The bytes after the request's head, as they go over the wire. */
  let react: (socket: Socket, path: string) => void;
  const connections = new Set<Socket>();

  beforeAll(async () => {
    server = createServer((request) => {
      request.resume().once('end', () => react(request.socket, request.url!));
    });
    server.on('connection', (socket) => connections.add(socket));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await agent.destroy();
    for (const socket of connections) socket.destroy();
    server.close();
  });

  const answering = (text: string, status = '200 OK', headers = '') => {
    const body = Buffer.from(text);
    return (socket: Socket) => {
      socket.write(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n${headers}\r\n`);
      socket.write(body);
    };
  };
  const breakingOff = (socket: Socket) =>
    void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsome', () => socket.destroy());
  const get = (part: Partial<Parameters<typeof exchange>[2]> = {}) => exchange(agent, url, { method: 'GET', ...part });

  it('reads a body of many packets completely', async () => {
    react = answering(LONG, '404 Not Found', 'x-kind: long\r\n');
    expect(await get()).toEqual({ status: 404, headers: expect.objectContaining({ 'x-kind': 'long' }), text: LONG });
  });

  it('drops a byte order mark, and replaces bytes that are not UTF-8', async () => {
    react = answering('\uFEFF{}');
    expect((await get()).text).toBe('{}');
    react = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n');
      socket.write(Buffer.from([0xff]));
    };
    expect((await get()).text).toBe('\uFFFD');
  });

  it('ignores 1xx answers before the final one', async () => {
    react = (socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n');
      answering('late')(socket);
    };
    expect(await get()).toMatchObject({ status: 200, text: 'late' });
  });

  it('rejects when a body breaks off, and when no response arrives', async () => {
    react = breakingOff;
    await expect(get()).rejects.toThrow(/closed|reset|terminated/);
    react = (socket) => void socket.destroy();
    await expect(get()).rejects.toThrow(/closed|reset/);
  });

  it('reads the beginning of a body, whatever comes after it', async () => {
    react = answering(LONG);
    expect((await get({ beginning: 5 })).text).toBe('ää\uFFFD');
    react = breakingOff;
    expect(await get({ beginning: 10 })).toMatchObject({ status: 200, text: 'some' });
    react = answering('whole');
    expect((await get({ beginning: 5 })).text).toBe('whole');
  });

  it("rejects with the signal's reason before, during and after the response head", async () => {
    const reason = new Error('enough');
    await expect(get({ signals: [AbortSignal.abort(reason)] })).rejects.toBe(reason);

    const waiting = new AbortController();
    react = () => waiting.abort(reason);
    await expect(get({ signals: [new AbortController().signal, waiting.signal] })).rejects.toBe(reason);

    const reading = new AbortController();
    react = (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nsome', () => reading.abort(reason));
    await expect(get({ signals: [reading.signal] })).rejects.toBe(reason);
  });

  it('reports when it begins to write', async () => {
    const begun: string[] = [];
    react = (socket) => {
      begun.push('asked');
      answering('')(socket);
    };
    await get({ onWrite: () => begun.push('written') > 0 });
    expect(begun).toEqual(['written', 'asked']);
  });

  it('aborts a request that is waiting for its connection, and never sends it', async () => {
    const crowded = new Agent({ connections: 1, pipelining: 1 });
    const paths: string[] = [];
    const ended = new AbortController();
    let answerFirst = () => {};
    react = (socket, path) => {
      paths.push(path);
      answerFirst = () => answering('first')(socket);
      ended.abort(new Error('enough'));
    };
    const first = exchange(crowded, `${url}/first`, { method: 'GET' });
    const second = exchange(crowded, `${url}/second`, { method: 'GET', signals: [ended.signal] });
    await expect(second).rejects.toThrow('enough');
    answerFirst();
    expect((await first).text).toBe('first');
    react = (socket, path) => {
      paths.push(path);
      answering('third')(socket);
    };
    await exchange(crowded, `${url}/third`, { method: 'GET' });
    expect(paths).toEqual(['/first', '/third']);
    await crowded.destroy();
  });

  it('keeps the connection if the rest of a body arrives together with its beginning', async () => {
    connections.clear();
    react = answering('x'.repeat(60_000));
    for (let i = 0; i < 6; i++) await get({ beginning: 4_096 });
    // A second connection opens if the first is not yet back in the pool.
    expect(connections.size).toBeLessThanOrEqual(2);
  });

  it('aborts while it connects to the target of a redirect', async () => {
    const ended = new AbortController();
    const silent = createTcpServer((socket) => {
      connections.add(socket);
      ended.abort(new Error('enough'));
    });
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
    const target = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const following = agent.compose(interceptors.redirect({ maxRedirections: 3 }));
    react = answering('', '307 Temporary Redirect', `location: ${target}\r\n`);
    await expect(exchange(following, url, { method: 'GET', signals: [ended.signal] })).rejects.toThrow('enough');
    silent.close();
  });

  it('aborts between a redirect and its target', async () => {
    const ended = new AbortController();
    const following = agent.compose(interceptors.redirect({ maxRedirections: 3 }));
    const paths: string[] = [];
    react = (socket, path) => {
      paths.push(path);
      answering('', '307 Temporary Redirect', 'location: /moved\r\n')(socket);
      if (path === '/moved') ended.abort(new Error('enough'));
    };
    await expect(exchange(following, url, { method: 'GET', signals: [ended.signal] })).rejects.toThrow('enough');
    expect(paths).toEqual(['/', '/moved']);
  });

  it('rejects at once a request that the dispatcher refuses', async () => {
    await expect(get({ headers: { 'x-bad': 'a\r\nb' } })).rejects.toThrow('invalid x-bad header');
  });
});
