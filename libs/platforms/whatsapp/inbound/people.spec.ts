import { isUserId, People, phoneOf } from './people';

describe(phoneOf.name, () => {
  it.each([
    ['+49 170 1234567', '491701234567'],
    ['+1 (555) 078-3881', '15550783881'],
    ['491701234567', '491701234567'],
    ['US.13491208655302741918', 'US.13491208655302741918'],
    ['', ''],
    ['+', '+'],
  ])('of %j is %j', (recipient, phone) => expect(phoneOf(recipient)).toBe(phone));
});

describe(isUserId.name, () => {
  it.each([
    ['US.13491208655302741918', true],
    ['US.ENT.11815799212886844830', true],
    ['491701234567', false],
    ['us.1', false],
    ['US.', false],
  ])('of %j is %j', (recipient, is) => expect(isUserId(recipient)).toBe(is));
});

describe(People.name, () => {
  it('reports a pair of ids until it is remembered, and again when the number changes', () => {
    const people = new People();
    const pair = { phone: '1', userId: 'US.1' };
    expect(people.newPair(pair)).toEqual(pair);
    people.remember('1', 'US.1');
    expect(people.newPair(pair)).toBeUndefined();
    expect(people.idOf({ userId: 'US.1' })).toBe('1');
    expect(people.newPair({ phone: '2', userId: 'US.1' })).toEqual({ phone: '2', userId: 'US.1' });
  });
});
