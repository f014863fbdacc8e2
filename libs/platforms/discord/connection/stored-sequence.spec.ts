import { StoredSequence } from './stored-sequence';

describe(StoredSequence.name, () => {
  let sut: StoredSequence;
  beforeEach(() => {
    sut = new StoredSequence(1);
  });

  it('stays before the oldest event that is not stored, even if later ones are', () => {
    expect([sut.begin(2), sut.begin(3), sut.begin(4)]).toEqual([true, true, true]);
    sut.done(4);
    sut.done(3);
    expect(sut.value).toBe(1);
    sut.done(2);
    expect(sut.value).toBe(4);
  });

  it('recognises a replayed event', () => {
    sut.begin(2);
    expect(sut.begin(2)).toBe(false);
    sut.done(2);
    expect(sut.begin(2)).toBe(false);
  });

  it('accepts events that were not stored again after a rewind', () => {
    sut.begin(2);
    sut.begin(3);
    sut.done(3);
    sut.rewind();
    expect([sut.value, sut.waiting]).toEqual([1, 0]);
    expect([sut.begin(2), sut.begin(3)]).toEqual([true, true]);
  });
});
