import { randomBytes } from 'node:crypto';
import { DeploymentSecrets } from './deployment-secrets';
import { generateSecret } from './generate-secret';
import { SecretBox } from './secret-box.service';

const ID = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';
/** OpenSSL's message for a wrong tag. */
const REFUSED = /authenticat|authentication tag|Invalid/i;
const box = () => new SecretBox(new DeploymentSecrets(Buffer.alloc(0), randomBytes(32)));

describe(SecretBox.name, () => {
  it('opens a sealed secret, and seals it differently each time', () => {
    const sut = box();
    const [one, two] = [sut.seal('sésame 🗝', ID), sut.seal('sésame 🗝', ID)];
    expect(sut.open(one, ID)).toBe('sésame 🗝');
    expect(sut.open(one, ID)).toBe('sésame 🗝');
    expect(one.equals(two)).toBe(false);
    expect(one.includes('sésame')).toBe(false);
  });

  it('rejects a secret that was changed, moved to another row, or sealed with another key', () => {
    const sut = box();
    const sealed = sut.seal('secret', ID);
    // The box remembers opened secrets; this must not open others.
    sut.open(sealed, ID);
    expect(() => sut.open(sealed, OTHER)).toThrow(REFUSED);
    expect(() => box().open(sealed, ID)).toThrow(REFUSED);
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i]! ^= 1;
      expect(() => sut.open(changed, ID)).toThrow(REFUSED);
    }
    expect(() => sut.open(sealed.subarray(0, 20), ID)).toThrow(REFUSED);
  });
});

describe(generateSecret.name, () => {
  it('creates 32 random bytes in the form of Standard Webhooks', () => {
    const secrets = Array.from({ length: 10 }, generateSecret);
    expect(new Set(secrets).size).toBe(10);
    for (const secret of secrets) expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  });
});
