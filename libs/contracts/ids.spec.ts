import { randomUUID } from 'node:crypto';
import { TypeID } from 'typeid-js';
import { fromPublicId, newUuid, toPublicId } from './ids';

describe(toPublicId.name, () => {
  it('round-trips a UUID', () => {
    const uuid = newUuid();
    expect(fromPublicId('message', toPublicId('message', uuid))).toBe(uuid);
  });

  it('produces the form of the TypeID specification', () => {
    expect(toPublicId('message', '01890a5d-ac96-774b-bcce-b302099a8057')).toBe('msg_01h455vb4pex5vsknk084sn02q');
  });

  it.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', randomUUID()])(
    'agrees with typeid-js on %s',
    (uuid) => {
      const id = TypeID.fromUUID('msg', uuid).toString();
      expect(toPublicId('message', uuid)).toBe(id);
      expect(fromPublicId('message', id)).toBe(uuid);
    },
  );
});

it('toPublicId agrees with typeid-js on every bit, and on random UUIDs', () => {
  const uuidOf = (bits: bigint) =>
    bits
      .toString(16)
      .padStart(32, '0')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const uuids = [
    ...Array.from({ length: 128 }, (_, bit) => uuidOf(1n << BigInt(bit))),
    ...Array.from({ length: 1_000 }, () => randomUUID()),
  ];
  const ids = uuids.map((uuid) => TypeID.fromUUID('msg', uuid).toString());
  expect(uuids.map((uuid) => toPublicId('message', uuid))).toEqual(ids);
  expect(ids.map((id) => fromPublicId('message', id))).toEqual(uuids);
});

describe(fromPublicId.name, () => {
  it.each([
    '',
    'msg_',
    'msg_01h455vb4pex5vsknk084sn02',
    'conv_01h455vb4pex5vsknk084sn02q',
    'msg_81h455vb4pex5vsknk084sn02q',
    'MSG_01h455vb4pex5vsknk084sn02q',
    "msg_' OR 1=1",
  ])('refuses %j as a message id', (text) => expect(fromPublicId('message', text)).toBeUndefined());
});

describe(newUuid.name, () => {
  it('increases strictly within one millisecond', () => {
    const ids = Array.from({ length: 1000 }, () => newUuid(1_700_000_000_000));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
  });
});
