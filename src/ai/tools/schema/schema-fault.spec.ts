import { Ajv2020 } from 'ajv/dist/2020.js';
import { ArgumentChecks } from './argument-checks.service';
import { schemaFault } from './schema-fault';

const SLOW = { type: 'string', pattern: '^(a+)+$' };
const IS_SLOW = { properties: { b: SLOW } };
/** A schema for each keyword that Ajv applies to other schemas. */
const SCHEMAS: Record<string, object> = {
  not: { not: IS_SLOW },
  anyOf: { anyOf: [IS_SLOW] },
  oneOf: { oneOf: [IS_SLOW] },
  allOf: { allOf: [IS_SLOW] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  if: { if: IS_SLOW, then: {} },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { if: {}, then: IS_SLOW },
  else: { if: {}, else: IS_SLOW },
  propertyNames: { propertyNames: SLOW },
  additionalProperties: { additionalProperties: SLOW },
  unevaluatedProperties: { unevaluatedProperties: SLOW },
  dependencies: { dependencies: { b: IS_SLOW } },
  dependentSchemas: { dependentSchemas: { b: IS_SLOW } },
  properties: IS_SLOW,
  patternProperties: { patternProperties: { '^(a+)+$': {} } },
  prefixItems: { properties: { b: { prefixItems: [SLOW] } } },
  items: { properties: { b: { items: SLOW } } },
  contains: { properties: { b: { contains: SLOW } } },
  unevaluatedItems: { properties: { b: { unevaluatedItems: SLOW } } },
};

describe(schemaFault, () => {
  it.each(Object.entries(SCHEMAS))('finds a regular expression in %s', (_, schema) => {
    expect(schemaFault({ type: 'object', ...schema })).toContain('a regular expression may take too long');
  });

  it('knows each keyword that Ajv applies to other schemas', () => {
    const { all } = new Ajv2020().RULES;
    const applied = Object.entries(all).filter(([, rule]) => {
      const { schemaType = [] } = typeof rule === 'object' ? (rule.definition as { schemaType?: string[] }) : {};
      return ['object', 'array'].some((type) => [schemaType].flat().includes(type));
    });
    const data = new Set(['type', 'enum', 'required', 'dependentRequired']);
    expect(Object.keys(SCHEMAS).toSorted()).toEqual(
      applied
        .map(([keyword]) => keyword)
        .filter((keyword) => !data.has(keyword))
        .toSorted(),
    );
  });

  it('takes a list in dependencies for names of properties', () => {
    const schema = { type: 'object', dependencies: { b: ['pattern'] } };
    expect(schemaFault(schema)).toBeUndefined();
    expect(new ArgumentChecks().argumentFault(schema, { b: 1 })).toContain('pattern');
  });

  it('refuses $async, with which Ajv returns a promise', () => {
    const reason = 'must not have "$async"';
    expect(schemaFault({ type: 'object', $async: true })).toContain(reason);
    expect(schemaFault({ type: 'object', $defs: { node: { $async: true } } })).toContain(reason);
  });
});
