const examples = new Map<string, object>();

/**
 * Sets the fields of the class's example that only make sense together: a message that is `sent` has a `sent_at`. Other
 * fields have the examples of their declarations.
 */
export function Example(fields: object): ClassDecorator {
  return ({ name }) => void examples.set(name, fields);
}

/** The fields that a class declares with `Example`. The class and its schema have the same name. */
export function exampleFieldsOf(name: string): object | undefined {
  return examples.get(name);
}
