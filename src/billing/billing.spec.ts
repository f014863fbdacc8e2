import { billingOf, countryOf, partBilling } from './billing';

const PRICES = { '+49': { service: 0.01, utility: 0.05 }, '+4915': { service: 0.02 }, '+1': {} };
const pricing = { billable: true, category: 'service', model: 'PMP' };
const billed = (number: string, more: object = {}, status: 'sent' | 'delivered' | 'failed' = 'delivered') =>
  partBilling({ ...pricing, ...more }, status, number, PRICES)!;

describe(countryOf.name, () => {
  it.each([
    ['4915112345678', '+49'],
    ['15550109999', '+1'],
    ['77012345678', '+7'],
    ['35312345678', '+353'],
    ['85212345678', '+852'],
    ['US.1349', ''],
    ['120363@g.us', ''],
  ])('of %s is %j', (participant, country) => expect(countryOf(participant)).toBe(country));
});

describe(partBilling.name, () => {
  it('uses the price of the longest matching prefix', () => {
    expect(billed('4930123456').cost_usd).toBe(0.01);
    expect(billed('4915112345678').cost_usd).toBe(0.02);
  });

  it('has no price if the longest prefix has none for the category', () => {
    expect(billed('4915112345678', { category: 'utility' }).cost_usd).toBeNull();
    expect(billed('15550109999').cost_usd).toBeNull();
    expect(billed('33612345678').cost_usd).toBeNull();
    expect(billed('4930123456', { category: 'toString' }).cost_usd).toBeNull();
  });

  it('costs nothing if the part is not billable or failed', () => {
    expect(billed('33612345678', { billable: false }).cost_usd).toBe(0);
    expect(billed('33612345678', {}, 'failed')).toMatchObject({ billable: false, cost_usd: 0 });
  });

  it('is undefined without a price, unless the part failed', () => {
    expect(partBilling(undefined, 'delivered', '4930123456', PRICES)).toBeUndefined();
    expect(partBilling(undefined, 'failed', '4930123456', PRICES)).toMatchObject({ billable: false, category: null });
  });
});

describe(billingOf.name, () => {
  const part = billed('4930123456');

  it('is null without parts, and for parts that failed without a price', () => {
    const failed = partBilling(undefined, 'failed', '4930123456', PRICES)!;
    expect([billingOf(null), billingOf([]), billingOf([failed])]).toEqual([null, null, null]);
  });

  it('adds the parts up', () => {
    expect(billingOf([part, part, part])).toEqual({ ...pricing, cost_usd: 0.03, estimated: false });
  });

  it('has no cost if one part has none, and is estimated until all parts are delivered', () => {
    const unpriced = billed('33612345678', {}, 'sent');
    expect(billingOf([part, unpriced])).toMatchObject({ billable: true, cost_usd: null, estimated: true });
  });
});
