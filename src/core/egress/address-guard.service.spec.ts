import { Logger } from '@nestjs/common';
import { loadConfiguration } from '../config/load-configuration';
import type { Resolve } from './name-resolver';
import { ForbiddenAddressError, AddressGuard } from './address-guard.service';

function guard(env: NodeJS.ProcessEnv = {}, names: Record<string, string[]> = {}): AddressGuard {
  const made = new AddressGuard(loadConfiguration(env).webhooks);
  made.resolve = ((hostname, _options, callback) => {
    const addresses = names[hostname]?.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (addresses) callback(null, addresses);
    else callback(Object.assign(new Error('not there'), { code: 'ENOTFOUND' }), []);
  }) satisfies Resolve;
  return made;
}

const FORBIDDEN = `
  127.0.0.1 127.0.0.2 127.255.255.254 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 017700000001 0177.0.0.1
  0177.0.0.01 127.0.0.1. 0x7F.0x0.0x0.0x1 00000177.1 1%32%37.0.0.1 １２７.0.0.1 127。0。0。1
  0.0.0.0 0 0x0 0.0.0.1 10.0.0.1 10.255.255.255 0xa000001 012.0.0.1 167772161 172.16.0.1 172.31.255.255 192.168.0.1
  3232235521 0xC0A80001 192.168.257 100.64.0.1 100.127.255.255 169.254.169.254 2852039166 0xA9FEA9FE 0251.0376.0251.0376
  169.254.0.1 168.63.129.16 192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250
  240.0.0.1 255.255.255.255
  [::] [::1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::7f00:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:10.0.0.1]
  [::ffff:169.254.169.254] [0:0:0:0:0:ffff:a9fe:a9fe] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe]
  [64:ff9b::8.8.8.8] [64:ff9b:1::1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2001::1] [2001:0:7f00:1::] [fe80::1] [febf::1]
  [fec0::1] [fc00::1] [fd00:ec2::254] [fdff::1] [ff02::1] [100::1] [2001:db8::1] [3fff::1] [5f00::1] [2001:2::1]
  [2001:10::1] [2001:20::1] [4000::1] [::8.8.8.8] [2620:4f:8000::1]`
  .trim()
  .split(/\s+/);

describe(AddressGuard.name, () => {
  const logged: unknown[] = [];
  beforeEach(() => {
    logged.length = 0;
    const ignore = () => undefined;
    Logger.overrideLogger({ log: ignore, error: ignore, warn: (line: unknown) => logged.push(line) });
  });
  afterAll(() => Logger.overrideLogger(true));

  it('is tested with at least 60 notations', () => expect(new Set(FORBIDDEN).size).toBeGreaterThanOrEqual(60));

  it.each(FORBIDDEN)('refuses %s', async (host) => {
    expect(await guard().urlFault(`https://${host}/hook`)).toBe('address not allowed');
  });

  it.each(['8.8.8.8', '1.1.1.1:8443', '[2606:4700::1111]', '[::ffff:8.8.8.8]', '134744072'])(
    'accepts %s',
    async (host) => {
      expect(await guard().urlFault(`https://${host}/hook`)).toBeUndefined();
    },
  );

  it.each([
    ['http://example.com/', /must begin with https:/],
    ['ftp://example.com/', /must begin with https:/],
    ['file:///etc/passwd', /must be a URL|must begin/],
    ['javascript:alert(1)', /must be a URL|must begin/],
    ['https://user@example.com/', /credentials/],
    ['https://user:word@example.com/', /credentials/],
    ['https://[fe80::1%25eth0]/', /must be a URL/],
    ['https://1.2.3.4.5/', /must be a URL/],
    ['https://256.256.256.256/', /must be a URL/],
    ['//example.com', /must be a URL/],
    ['https:///example.com/hook', /must be a URL/],
    ['https:example.com', /must be a URL/],
    ['https:/example.com', /must be a URL/],
    ['https:\\\\example.com', /must be a URL/],
    ['https://\\example.com', /must be a URL/],
    ['https://example.com:0/', /port 0/],
    ['https://example.com:00/', /port 0/],
    [`https://example.com/${'a'.repeat(2_029)}`, /2048 characters/],
  ])('refuses %s', async (url, reason) => {
    expect(await guard().urlFault(url)).toMatch(reason);
  });

  it.each([
    ['localhost', 'loopback'],
    ['localhost.', 'loopback'],
    ['LOCALHOST..', 'loopback'],
    ['foo.localhost', 'loopback'],
    ['foo.localhost.:8443', 'loopback'],
    ['ip6-localhost', 'loopback'],
    ['ip6-loopback', 'loopback'],
    ['metadata.google.internal', 'metadata'],
    ['Metadata.Google.Internal.', 'metadata'],
    ['metadata', 'metadata'],
    ['instance-data', 'metadata'],
    ['instance-data.ec2.internal', 'metadata'],
  ])('refuses %s even if it does not resolve, and logs why', async (host, kind) => {
    expect(await guard().urlFault(`https://${host}/hook`)).toBe('address not allowed');
    expect(logged).toEqual([expect.stringMatching(new RegExp(`refused: .* is a ${kind} name$`))]);
  });

  it('rejects a forbidden name at delivery too', () => {
    const callback = jest.fn();
    guard({}, { metadata: ['8.8.8.8'] }).lookup('metadata', {}, callback);
    expect(callback).toHaveBeenCalledWith(expect.any(ForbiddenAddressError), []);
  });

  it.each(['localhost.example.com', 'mylocalhost', 'metadata.example.com', 'instance-data.example'])(
    'accepts %s, which only looks like a forbidden one',
    async (host) => expect(await guard().urlFault(`https://${host}/hook`)).toBeUndefined(),
  );

  it('permits localhost names if a loopback range is allowed, but never metadata names', async () => {
    for (const range of ['127.0.0.0/8', '::1/128']) {
      const permissive = guard({ WEBHOOK_ALLOWED_CIDRS: range });
      expect(await permissive.urlFault('https://foo.localhost/')).toBeUndefined();
      expect(await permissive.urlFault('https://metadata/')).toBeDefined();
    }
    expect(await guard({ WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8' }).urlFault('https://localhost/')).toBeDefined();
  });

  it('rejects a name if any of its addresses is forbidden', async () => {
    const names = {
      'public.test': ['8.8.8.8'],
      'mixed.test': ['8.8.8.8', '10.0.0.1'],
      'mapped.test': ['::ffff:127.0.0.1'],
    };
    expect(await guard({}, names).urlFault('https://public.test/')).toBeUndefined();
    expect(await guard({}, names).urlFault('https://mixed.test/')).toBe('address not allowed');
    expect(await guard({}, names).urlFault('https://mapped.test/')).toBe('address not allowed');
    expect(logged).toEqual([
      expect.stringContaining('mixed.test resolves to 10.0.0.1, a private address'),
      expect.stringContaining('mapped.test resolves to ::ffff:127.0.0.1, a loopback address'),
    ]);
    expect(await guard({}, names).urlFault('https://missing.test/')).toBeUndefined();
  });

  it('permits only the addresses that the operator allows, in any notation', async () => {
    const permissive = guard({ WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8, fd00::/16' });
    for (const host of ['127.0.0.1:8080', '0x7f.1', '[::ffff:127.0.0.1]', '[fd00::1]']) {
      expect(await permissive.urlFault(`http://${host}/`)).toBeUndefined();
    }
    for (const host of ['10.0.0.1', '[::1]', '[fd01::1]'])
      expect(await permissive.urlFault(`http://${host}/`)).toBeDefined();
  });

  it('connects sockets only to the addresses that it checked', () => {
    // Public at the first lookup, private at the second: DNS rebinding.
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const rebinding = guard();
    rebinding.resolve = (_hostname, _options, callback) =>
      callback(
        null,
        answers.shift()!.map((address) => ({ address, family: 4 })),
      );
    const callback = jest.fn();
    rebinding.lookup('evil.test', { all: true }, callback);
    expect(callback).toHaveBeenLastCalledWith(null, [{ address: '8.8.8.8', family: 4 }]);
    rebinding.lookup('evil.test', {}, callback);
    expect(callback.mock.lastCall[0]).toBeInstanceOf(ForbiddenAddressError);
  });
});
