const examples = new Map<string, object>();

/**
 * Gives the fields of the class's example that only make sense together: a message that is `sent` has a `sent_at`. Its other
 * fields have the examples of their declarations.
 */
export function Example(fields: object): ClassDecorator {
  return ({ name }) => void examples.set(name, fields);
}

/** The fields that a class declares with `Example`. Its name is that of its schema. */
export function exampleFieldsOf(name: string): object | undefined {
  return examples.get(name);
}
