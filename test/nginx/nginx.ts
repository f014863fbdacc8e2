import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { lastingPort } from '../support/lasting-port';

/** A real nginx as a balancer. After it has written a request to a server, it retries only a GET on another one. */
export class Nginx {
  readonly url: string;

  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    private readonly port: number,
    private readonly servers: readonly number[],
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /** @param servers ports of 127.0.0.1 */
  static async start(servers: readonly number[]): Promise<Nginx> {
    if (spawnSync('nginx', ['-v']).status !== 0) throw new Error('No nginx on PATH: install the package nginx-light');
    const directory = await mkdtemp(join(tmpdir(), 'gateway-test-nginx-'));
    const port = await lastingPort();
    await writeFile(join(directory, 'nginx.conf'), configurationOf(directory, port, servers));
    const child = spawn('nginx', ['-p', directory, '-c', 'nginx.conf'], { stdio: 'inherit' });
    const nginx = new Nginx(child, directory, port, servers);
    await eventually('nginx answers', async () => {
      expect((await fetch(`${nginx.url}/health/live`)).status).toBe(200);
    });
    return nginx;
  }

  /** Sends new requests to the other servers only, or to all again; open requests go on. */
  async leaveOut(down?: number): Promise<void> {
    const workers = this.workers();
    await writeFile(join(this.directory, 'nginx.conf'), configurationOf(this.directory, this.port, this.servers, down));
    this.child.kill('SIGHUP');
    await eventually('nginx has new workers', () =>
      expect(this.workers().filter((pid) => !workers.includes(pid))).not.toEqual([]),
    );
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
    await rm(this.directory, { recursive: true, force: true });
  }

  private workers(): string[] {
    return spawnSync('pgrep', ['-P', String(this.child.pid)], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n');
  }
}

function configurationOf(directory: string, port: number, servers: readonly number[], down?: number): string {
  // By default nginx skips a server for ten seconds after a refused connection; the other one restarts sooner.
  const upstream = servers
    .map((server) => `server 127.0.0.1:${server} max_fails=0${server === down ? ' down' : ''};`)
    .join(' ');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((kind) => `${kind}_temp_path ${directory}/${kind};`).join('\n  ')}
  upstream gateways { ${upstream} keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}
