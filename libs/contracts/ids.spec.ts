import { randomUUID } from 'node:crypto';
import { TypeID } from 'typeid-js';
import { fromPublicId, newUuid, toPublicId } from './ids';

describe(toPublicId.name, () => {
  it('round-trips a UUID', () => {
    const uuid = newUuid();
    expect(fromPublicId('message', toPublicId('message', uuid))).toBe(uuid);
  });

  it('writes the form of the TypeID specification', () => {
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
  it('grows strictly within one millisecond', () => {
    const ids = Array.from({ length: 1000 }, () => newUuid(1_700_000_000_000));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
  });
});
