import { exampleOf, NO_PARAMETERS, rowsOf, schemaOf } from './parameter-rows';

const SCHEMA = {
  type: 'object',
  properties: { order_id: { type: 'string', description: 'Number on the receipt.' }, count: { type: 'integer' } },
  required: ['order_id'],
  additionalProperties: false,
};

describe(rowsOf, () => {
  it('a plain schema becomes rows, and the rows the same schema', () => {
    const rows = rowsOf(SCHEMA)!;
    expect(rows).toEqual([
      { name: 'order_id', type: 'string', required: true, description: 'Number on the receipt.' },
      { name: 'count', type: 'integer', required: false, description: '' },
    ]);
    expect(schemaOf(rows, NO_PARAMETERS)).toEqual(SCHEMA);
  });

  it('a schema that admits other arguments still does with changed rows', () => {
    const open = { type: 'object', properties: {} };
    const [row] = rowsOf(SCHEMA)!;
    expect(rowsOf(open)).toEqual([]);
    expect(schemaOf([row!], open)).not.toHaveProperty('additionalProperties');
  });

  it.each([
    ['an enum', { ...SCHEMA, properties: { size: { type: 'string', enum: ['s', 'm'] } }, required: [] }],
    ['a list', { ...SCHEMA, properties: { items: { type: 'array' } }, required: [] }],
    ['a reference', { ...SCHEMA, properties: { a: { $ref: '#/$defs/a' } }, required: [], $defs: { a: {} } }],
    ['alternatives', { ...SCHEMA, anyOf: [{ required: ['count'] }] }],
    ['a required argument that it does not describe', { ...SCHEMA, required: ['other'] }],
    ['no object', []],
  ])('a schema with %s has no rows', (_, schema) => {
    expect(rowsOf(schema)).toBeUndefined();
  });
});

describe(exampleOf, () => {
  it('has a value for each argument', () => {
    const size = { type: 'string', enum: ['s', 'm'] };
    expect(exampleOf({ properties: { ...SCHEMA.properties, size } })).toEqual({ order_id: '', count: 1, size: 's' });
  });
});
