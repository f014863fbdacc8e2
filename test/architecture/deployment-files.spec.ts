import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseEnvironmentFile } from '../../src/core/config/environment-file';
import { CONFIGURATION_VARIABLES } from '../../src/core/config/configuration.schema';
import { dependencies, version } from '../../package.json';

const ROOT = join(__dirname, '../..');
const CHART = 'deploy/helm/messaging-gateway';

interface Service {
  image?: string;
  build?: { context: string; dockerfile: string };
  command?: string | string[];
  environment?: Record<string, string>;
  env_file?: string;
  ports?: string[];
  logging?: { options: Record<string, string> };
  volumes?: string[];
  networks?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, { ipam?: { config: { subnet: string }[] } }>;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const variables = new Set(CONFIGURATION_VARIABLES.map(({ name }) => name)).add('NODE_ENV').add('NODE_EXTRA_CA_CERTS');
const unknown = (names: Iterable<string>) => [...names].filter((name) => !variables.has(name));
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]!);

describe('docker/compose.yaml', () => {
  const text = read('docker/compose.yaml');
  const { services, volumes, networks } = parse(text, { merge: true }) as Compose;
  const gateways = Object.entries(services).filter(([, { image }]) => image === 'messaging-gateway');

  it('starts two gateways after the migrations, without root and with a read-only root filesystem', () => {
    expect(gateways.map(([name]) => name)).toEqual(['migrate', 'gateway-1', 'gateway-2']);
    for (const [, service] of gateways) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], environment: { REQUIRE_HTTPS: 'true' } });
    }
    for (const name of ['gateway-1', 'gateway-2'])
      expect(services[name]!.depends_on!['migrate']).toEqual({ condition: 'service_completed_successfully' });
    expect(services['migrate']!.command).toEqual(['gateway', 'migrate']);
  });

  it('limits the log of each container to 100 MB', () => {
    for (const [name, { logging }] of Object.entries(services))
      expect([name, logging?.options]).toEqual([name, { 'max-size': '20m', 'max-file': '5' }]);
  });

  it("schedules backups, in a shared folder that belongs to the image's user", () => {
    for (const name of ['gateway-1', 'gateway-2']) {
      const { environment, volumes: mounts } = services[name]!;
      expect(environment!['BACKUP_SCHEDULE']).toBe('${BACKUP_SCHEDULE:-0 3 * * *}');
      expect(mounts).toContain(`backups:${environment!['BACKUP_DIR']}`);
      expect(read('docker/Dockerfile')).toMatch(/^RUN mkdir .*\/backups .*&& chown node:node .*\/backups\b/m);
    }
  });

  it("stores files of messages in a shared folder that belongs to the image's user", () => {
    for (const name of ['gateway-1', 'gateway-2']) {
      const { environment, volumes: mounts } = services[name]!;
      expect(mounts).toContain(`media:${environment!['MEDIA_DIR']}`);
      expect(read('docker/Dockerfile')).toMatch(/^RUN mkdir .*\/media && chown node:node .*\/media\b/m);
    }
  });

  it('sets only variables that exist', () => {
    expect(unknown(gateways.flatMap(([, { environment }]) => Object.keys(environment!)))).toEqual([]);
  });

  it('reads the variables of docker/.env that its example lists', () => {
    const asked = new Set(matches(text, /(?<!\$)\$\{([A-Z_]+)/g));
    const example = read('docker/.env.example');
    const named = new Set(matches(example, /^#?([A-Z_]+)=/gm));
    expect([...asked].filter((name) => !named.has(name))).toEqual([]);
    // Compose passes the other variables to the gateways.
    expect(unknown([...named].filter((name) => !asked.has(name)))).toEqual([]);
    // The script creates the variables that compose requires.
    const made = matches(example, /^([A-Z_]+)=$/gm);
    expect(matches(text, /\$\{([A-Z_]+):\?/g).filter((name) => !made.includes(name))).toEqual([]);
  });

  it('mounts files, volumes and networks that exist', () => {
    const sources = Object.values(services).flatMap((service) => (service.volumes ?? []).map((v) => v.split(':')[0]!));
    const missing = sources.filter((source) =>
      source.startsWith('.') ? !existsSync(join(ROOT, 'docker', source)) : !(source in volumes),
    );
    expect(missing).toEqual([]);
    expect(Object.keys(volumes).filter((name) => !sources.includes(name))).toEqual([]);
    const joined = Object.values(services).flatMap((service) => service.networks ?? []);
    expect([...new Set(joined)].toSorted()).toEqual(Object.keys(networks).toSorted());
  });

  it('trusts the network of Caddy, and exposes the gateways only through it', () => {
    const { subnet } = networks['front']!.ipam!.config[0]!;
    for (const [, { environment, ports }] of gateways) {
      expect(environment!['TRUST_PROXY']).toBe(subnet);
      expect(ports).toBeUndefined();
    }
    const inFront = Object.entries(services).filter(([, service]) => service.networks?.includes('front'));
    expect(inFront.map(([name]) => name)).toEqual(['migrate', 'gateway-1', 'gateway-2', 'caddy']);
    const open = Object.values(services).flatMap(({ ports }) =>
      (ports ?? []).filter((p) => !p.startsWith('127.0.0.1:')),
    );
    expect(open).toEqual(['80:80', '443:443']);
  });

  it('has Caddy and Prometheus use the port that the image listens on', () => {
    const port = /PORT=(\d+)/.exec(read('docker/Dockerfile'))![1]!;
    const targets = ['gateway-1', 'gateway-2'].map((name) => `${name}:${port}`);
    expect(/reverse_proxy (.*) \{/.exec(read('docker/Caddyfile'))![1]!.split(' ')).toEqual(targets);
    const { scrape_configs: jobs, rule_files: rules } = parse(read('docker/prometheus.yaml')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
      rule_files: string[];
    };
    expect(jobs.flatMap((job) => job.static_configs.flatMap((config) => config.targets))).toEqual(targets);
    const mounted = new Set(services['prometheus']!.volumes!.map((volume) => volume.split(':')[1]));
    expect(rules.filter((rule) => !mounted.has(rule))).toEqual([]);
  });
});

/** Whether this build makes the file; a file that only an earlier build left does not count. */
function isBuilt(file: string): boolean {
  const [, entries = ''] = /input: \{(.*)\}/.exec(read('scripts/bundle.mjs')) ?? [];
  return matches(entries, /(\w+): /g).some((name) => file === `dist/bundle/${name}.js`);
}

describe('docker/Dockerfile', () => {
  const text = read('docker/Dockerfile');

  it('copies files that exist and that .dockerignore includes', () => {
    const copied = matches(text, /^COPY (?!--from)(.+) \S+$/gm).flatMap((words) => words.split(' '));
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const letIn = matches(read('.dockerignore'), /^!(.+)$/gm);
    expect(copied.filter((path) => !letIn.includes(path))).toEqual([]);
    expect(letIn.filter((path) => !copied.includes(path))).toEqual([]);
  });

  it('copies the folders that the dashboard build needs', () => {
    const [sources = ''] = matches(read('scripts/build-dashboard.mjs'), /^const sources = \[(.*)\];$/gm);
    const needed = matches(sources, /'([^']+)'/g);
    expect(needed).toContain('libs/client');
    const keptOut = matches(read('.dockerignore'), /^([^*!#\s].*)$/gm);
    expect(needed.filter((path) => keptOut.some((out) => `${path}/`.startsWith(`${out}/`)))).toEqual([]);
  });

  it('sets variables that exist, and starts built files', () => {
    const set = matches(text, /^ENV (.+)$/gm).flatMap((words) => words.split(' ').map((word) => word.split('=')[0]!));
    expect(unknown(set)).toEqual([]);
    const started = matches(text, /(dist\/\S+?\.js)/g);
    expect(started).toEqual(['dist/bundle/cli.js', 'dist/bundle/main.js']);
    expect(started.filter((file) => !isBuilt(file))).toEqual([]);
  });

  it('runs as a numeric user that is not root', () => {
    expect(/^USER (\d+):/m.exec(text)![1]).toBe('1000');
  });
});

describe('deploy/systemd/messaging-gateway.service', () => {
  const text = read('deploy/systemd/messaging-gateway.service');

  it('sets variables that exist, in its working folder', () => {
    const set = matches(text, /^Environment=(.+)$/gm).flatMap((words) => words.split(' '));
    expect(unknown(set.map((word) => word.split('=')[0]!))).toEqual([]);
    const folder = /^StateDirectory=(.+)$/m.exec(text)![1];
    expect(set).toContain(`DATA_DIR=/var/lib/${folder}`);
  });

  it('has an example file with variables that exist, and the data folder for the command line', () => {
    const example = read('deploy/systemd/messaging-gateway.env');
    expect(unknown(matches(example, /^#?([A-Z_]+)=/gm))).toEqual([]);
    expect(parseEnvironmentFile(example)).toMatchObject({
      NODE_ENV: 'production',
      DATA_DIR: `/var/lib/${/^StateDirectory=(.+)$/m.exec(text)![1]}`,
      TRUST_PROXY: '127.0.0.1',
    });
  });

  it('starts a built file', () => {
    const [, file = ''] = /^ExecStart=.*?(dist\/\S+\.js)/m.exec(text) ?? [];
    expect(isBuilt(file)).toBe(true);
  });

  it('starts a Node that survives `npm prune --omit=dev`', () => {
    expect(text).toMatch(/^ExecStart=\S+\/node_modules\/\.bin\/node /m);
    expect(dependencies).toHaveProperty('node');
  });

  it('allows a stop enough time, and signals only the gateway', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)![1])).toBeGreaterThan(40);
    expect(text).toMatch(/^KillMode=mixed$/m);
  });
});

describe('the Helm chart', () => {
  const templates = globSync(`${CHART}/templates/*`, { cwd: ROOT }).map((path) => read(path));
  const values = parse(read(`${CHART}/values.yaml`)) as Record<string, unknown>;

  it('has the version of the gateway', () => {
    const chart = parse(read(`${CHART}/Chart.yaml`)) as { version: string; appVersion: string };
    expect(chart).toMatchObject({ version, appVersion: version });
  });

  it('only uses values with a default, and variables that exist', () => {
    const paths = new Set(templates.flatMap((text) => matches(text, /\.Values\.([a-zA-Z.]+)/g)));
    const missing = [...paths].filter((path) => {
      let node: unknown = values;
      for (const part of path.split('.')) node = (node as Record<string, unknown> | undefined)?.[part];
      return node === undefined;
    });
    expect(missing).toEqual([]);
    const named = templates.flatMap((text) => matches(text, /\b([A-Z]{2,}(?:_[A-Z]+)+)\b/g));
    expect(unknown(named)).toEqual([]);
  });

  it('names the Prometheus job as the alerts expect, for any release name', () => {
    const label = /jobLabel: (\S+)/.exec(read(`${CHART}/templates/service-monitor.yaml`))![1]!;
    const job = new RegExp(`^${label}: (\\S+)$`, 'm').exec(read(`${CHART}/templates/_helpers.tpl`))![1];
    expect(read('docker/alerts.yaml')).toContain(`up{job="${job}"}`);
  });

  it('requires a shared volume or object storage, so no pod loses files of messages', () => {
    const deployment = read(`${CHART}/templates/deployment.yaml`);
    expect(deployment).toMatch(
      /if and \(not \$objectStorage\) \(not \.Values\.sharedFiles\.claim\)\s*\}\}\s*\{\{- fail /,
    );
    const pod = read(`${CHART}/templates/_helpers.tpl`);
    const [folder] = matches(pod, /name: MEDIA_DIR, value: (\S+) \}/g);
    expect(pod).toContain(`{ name: media, mountPath: ${folder} }`);
    expect(pod).toContain('{ name: media, persistentVolumeClaim: { claimName: {{ . }} } }');
  });

  it('documents each value in its schema', () => {
    const { properties } = JSON.parse(read(`${CHART}/values.schema.json`)) as { properties: object };
    expect(Object.keys(properties).filter((name) => name !== 'global')).toEqual(Object.keys(values));
  });

  it('probes paths and a port that exist, and allows a stop enough time', () => {
    const deployment = read(`${CHART}/templates/deployment.yaml`);
    expect(new Set(matches(deployment, /path: (\S+),/g))).toEqual(new Set(['/health/live', '/health/ready']));
    expect(/containerPort: (\d+)/.exec(deployment)![1]).toBe(/PORT=(\d+)/.exec(read('docker/Dockerfile'))![1]);
    expect(Number(/terminationGracePeriodSeconds: (\d+)/.exec(deployment)![1])).toBeGreaterThan(40);
  });
});

describe('.github/workflows', () => {
  const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT });

  it('pins each action to a commit, and names its version', () => {
    const used = workflows.flatMap((path) => matches(read(path), /uses: (.+)$/gm));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it('runs scripts and test projects that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = workflows.flatMap((path) => matches(read(path), /npm run ([\w:]+)/g));
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const projects = workflows.flatMap((path) => matches(read(path), /--selectProjects ([\w ]+)$/gm)).join(' ');
    const known = new Set(matches(read('jest.config.cjs'), /['"](\w+)['"]/g));
    expect(projects.split(' ').filter((name) => !known.has(name))).toEqual([]);
  });

  it('refuses a release if its tag differs from the version, or the changelog has no entry', () => {
    const faultOf = (tag: string) =>
      spawnSync(process.execPath, ['scripts/release-notes.mjs', tag], { cwd: ROOT, encoding: 'utf8' }).stderr.trim();
    expect(faultOf('v0.0.1')).toContain(`package.json has ${version}`);
    const isReleased = read('CHANGELOG.md').includes(`\n## [${version}]`);
    expect(faultOf(`v${version}`)).toBe(isReleased ? '' : `CHANGELOG.md has no section [${version}].`);
  });
});
