import { getMetadataStorage, ValidationTypes } from 'class-validator';

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
type Fields = Record<string, unknown>;

/** The constraints of a property. */
interface Property {
  name: string;
  /** `ValidateIf`: all must hold for the constraints to apply. */
  conditions: ((object: object, value: unknown) => boolean)[];
  constraints: ((object: object, value: unknown) => unknown)[];
  isNested: boolean;
}

/** Null: the class has a kind of constraint that is not known here. */
const properties = new WeakMap<object, readonly Property[] | null>();

/**
 * Whether an instance surely meets all constraints of class-validator's decorators: it asks the same constraints, but makes
 * no report of each property, which most requests do not need (a fifth of the JavaScript of a list). False means that
 * `validate` is to say what is wrong, if anything.
 */
export function meetsConstraints(instance: object): boolean {
  const type = instance.constructor;
  let known = properties.get(type);
  if (known === undefined) properties.set(type, (known = propertiesOf(type)));
  return known !== null && known.every((property) => isMet(property, instance));
}

function isMet({ name, conditions, constraints, isNested }: Property, object: object): boolean {
  const value = (object as Fields)[name];
  if (!conditions.every((applies) => applies(object, value))) return true;
  return constraints.every((accepts) => accepts(object, value) === true) && (!isNested || isMetWithin(value));
}

function isMetWithin(value: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value)) return value.every((item) => item instanceof Object && meetsConstraints(item as object));
  return value instanceof Object && meetsConstraints(value);
}

function propertiesOf(type: object): readonly Property[] | null {
  const found = new Map<string, Property>();
  // A class; its declaration asks for Function, which the linter refuses.
  const all = getMetadataStorage().getTargetValidationMetadatas(type as never, '', false, false);
  for (const metadata of all) {
    const { propertyName: name } = metadata;
    const property = found.get(name) ?? { name, conditions: [], constraints: [], isNested: false };
    found.set(name, property);
    if (metadata.type === ValidationTypes.CUSTOM_VALIDATION) property.constraints.push(...constraintsOf(metadata));
    else if (metadata.type === ValidationTypes.CONDITIONAL_VALIDATION)
      property.conditions.push(metadata.constraints[0] as Property['conditions'][number]);
    else if (metadata.type === ValidationTypes.NESTED_VALIDATION) property.isNested = true;
    else return null;
  }
  return [...found.values()];
}

function constraintsOf({ constraintCls, constraints, each, validateIf, propertyName }: Metadata) {
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => (object: object, value: unknown): unknown => {
      if (validateIf && !validateIf(object, value)) return true;
      const asked = { targetName: object.constructor.name, property: propertyName, object, value, constraints };
      if (!each || !(Array.isArray(value) || value instanceof Set || value instanceof Map))
        return instance.validate(value, asked);
      return Array.isArray(value) && value.every((item) => instance.validate(item, asked) === true);
    });
}
