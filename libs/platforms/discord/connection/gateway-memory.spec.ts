import type { GatewayReadyDispatchData, SessionInfo } from 'discord.js';
import { GatewayMemory } from './gateway-memory';

describe(GatewayMemory.name, () => {
  const session = (sessionId: string, sequence: number): SessionInfo => ({
    sessionId,
    sequence,
    shardId: 0,
    shardCount: 1,
    resumeURL: 'wss://gateway.example',
  });
  // Only the user is read here.
  const ready = { user: { id: '4242' } } as GatewayReadyDispatchData;
  const seen = (participantId: string, platformMessageId: string, address: string | null) => ({
    participantId,
    participantName: 'somebody',
    address,
    platformMessageId,
  });

  it('recognises the bot by its id, whether a string or a number', () => {
    const sut = new GatewayMemory();
    sut.began({ user: { id: 4242 } } as unknown as GatewayReadyDispatchData);
    expect(sut.bot).toEqual({ id: '4242', roles: new Set() });
  });

  it('resumes from what is stored, not from what was received', () => {
    const sut = new GatewayMemory();
    sut.update(session('a', 1));
    sut.sequence.begin(2);
    sut.update(session('a', 2));
    expect(sut.session).toEqual(session('a', 1));
    sut.sequence.done(2);
    expect(sut.session).toEqual(session('a', 2));
  });

  it('ignores an event of the old session that is stored after the new one began', () => {
    const sut = new GatewayMemory();
    sut.update(session('a', 1));
    const old = sut.sequence;
    old.begin(2);
    sut.update(null);
    expect(sut.session).toBeUndefined();
    sut.update(session('b', 1));
    sut.sequence.begin(2);
    old.done(2);
    expect(sut.session).toEqual(session('b', 1));
  });

  it('after a lost session, requests missed messages of every known channel after the newest stored one', () => {
    const sut = new GatewayMemory();
    sut.stored('77', '1000', { name: 'general' });
    sut.restore([seen('77', '900', null), seen('41', '500', '9041')]);
    sut.wrote('9055', '600');
    sut.began(ready);
    expect(Object.fromEntries(sut.gaps)).toEqual({
      77: '1000',
      9041: '500',
      9055: '600',
    });
    sut.stored('77', '1100', { name: 'general' });
    sut.began(ready);
    expect(sut.gaps.get('77')).toBe('1000');
  });
  it('ignores malformed Discord ids', () => {
    const sut = new GatewayMemory();
    sut.wrote('9055', 'msg-1');
    sut.restore([seen('41', 'msg-2', '9041')]);
    sut.stored('9055', '700', undefined);
    sut.stored('9055', 'msg-3', undefined);
    sut.began(ready);
    expect(Object.fromEntries(sut.gaps)).toEqual({ 9055: '700' });
  });
});
